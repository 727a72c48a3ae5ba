import { type ApiObject, listAt, stringAt, timestamp, valueAt } from '@berth/embedded-api-server'
import type { ControllerDependencies } from '../loop/controller.ts'

/** Writes the condition DisruptionTarget into the status of a pod that a controller is about to delete. */
export function markDisrupted(
  { context, writer }: Pick<ControllerDependencies, 'context' | 'writer'>,
  pod: ApiObject,
  why: { readonly reason: string; readonly message: string; readonly phase?: 'Failed' },
): void {
  const { reason, message, phase } = why
  const others = listAt(pod, 'status', 'conditions').filter((each) => stringAt(each, 'type') !== 'DisruptionTarget')
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(context.clock),
    reason,
    message,
  }
  writer.updateStatus('/pods', pod, {
    ...(valueAt(pod, 'status') as object | undefined),
    conditions: [...others, condition],
    ...(phase === undefined ? {} : { phase }),
  })
}
