import type { EventRecorder } from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import type { Logger, Pod } from '@berth/types'
import { podReference } from './pod-reference.ts'

/** Options of {@link reportUnreadablePods}. */
export interface UnreadablePodsOptions {
  readonly events: Pick<EventRecorder, 'record'>
  /** Counts one pod. */
  readonly count: () => void
  /** The schedulerNames of the profiles. */
  readonly schedulerNames: readonly string[]
  readonly log: Logger
}

/**
 * Returns a listener for pods that cannot be read, such as one whose request is not a quantity. A pending pod of the
 * profiles gets a FailedScheduling event, because no attempt will tell its user why it stays Pending. The listener does
 * not throw, whatever the shape of the pod.
 */
export function reportUnreadablePods({
  events,
  count,
  schedulerNames,
  log,
}: UnreadablePodsOptions): (pod: Pod, cause: unknown) => void {
  return (pod, cause) => {
    count()
    try {
      const { schedulerName = 'default-scheduler', nodeName = '' } = pod.spec
      if (nodeName !== '' || !schedulerNames.includes(schedulerName)) return
      events.record({
        regarding: podReference(pod),
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        note: `the pod cannot be read: ${errorText(cause)}; delete it and create it with valid values`,
        controller: schedulerName,
      })
    } catch (error) {
      log.debug({ err: errorText(error) }, 'No event for a pod that cannot be read')
    }
  }
}
