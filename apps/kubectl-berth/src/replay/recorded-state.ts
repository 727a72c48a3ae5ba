import { createClusterState, type ClusterState } from '@berth/fit-engine'
import type { RecordedChanges } from '@berth/scheduler-config'

/** The cluster at one point of a recording. */
export interface RecordedState {
  readonly state: ClusterState
  apply(changes: RecordedChanges): void
}

/** Creates an empty cluster to which the changes of a recording are applied in their order. */
export function createRecordedState(): RecordedState {
  const state = createClusterState()
  return {
    state,
    apply(changes) {
      for (const pod of changes.gonePods) state.deletePod(pod)
      for (const pod of changes.goneNominated) state.clearNomination(pod)
      for (const name of changes.goneNodes) state.deleteNode(name)
      for (const [kind, key] of changes.goneObjects) state.objects.delete(kind, key)
      for (const node of changes.nodes) state.setNode(node)
      for (const [kind, object] of changes.objects) state.objects.set(kind, object as never)
      for (const pod of changes.pods) state.setPod(pod)
      for (const { pod, node } of changes.nominated) state.nominate(pod, node)
    },
  }
}
