import type { ClusterView } from '@berth/cluster-view'
import { isBound } from '@berth/resources'
import type { Pod } from '@berth/types'
import { podName } from '../queue/queued-pod.ts'

/** Returns the pod as the view has it; undefined if it was deleted, replaced by another of its name, or bound in the meantime. */
export function waitingPod(view: Pick<ClusterView, 'pod'>, pod: Pod): Pod | undefined {
  const current = view.pod(podName(pod))
  return current === undefined || current.metadata.uid !== pod.metadata.uid || isBound(current) ? undefined : current
}
