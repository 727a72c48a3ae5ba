import { createClusterState, type ClusterState, objectKey } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import type { RecordedChanges } from './verdict-recording.ts'

/** The cluster at one point of a recording. */
export interface RecordedState {
  readonly state: ClusterState
  apply(changes: RecordedChanges): void
}

/** Creates an empty cluster to which the changes of a recording are applied in their order. */
export function createRecordedState(): RecordedState {
  const state = createClusterState()
  const nominations = new Map<string, RecordedChanges['nominated'][number]>()
  const uidOf = ({ metadata }: Pod): string => metadata.uid ?? objectKey(metadata)
  return {
    state,
    apply(changes) {
      for (const pod of changes.gonePods) state.deletePod(pod)
      for (const pod of changes.goneNominated) {
        state.clearNomination(pod)
        nominations.delete(uidOf(pod))
      }
      for (const name of changes.goneNodes) state.deleteNode(name)
      for (const [kind, key] of changes.goneObjects) state.objects.delete(kind, key)
      for (const node of changes.nodes) state.setNode(node)
      for (const [kind, object] of changes.objects) state.objects.set(kind, object as never)
      for (const pod of changes.pods) state.setPod(pod)
      for (const nomination of changes.nominated) nominations.set(uidOf(nomination.pod), nomination)
      // A pod that is set or deleted loses its nomination. An assumed pod keeps it in the extender.
      for (const pod of [...changes.gonePods, ...changes.pods, ...changes.nominated.map((each) => each.pod)]) {
        const nomination = nominations.get(uidOf(pod))
        if (nomination !== undefined) state.nominate(nomination.pod, nomination.node)
      }
    },
  }
}
