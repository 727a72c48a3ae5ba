import type { Pod } from '@berth/types'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { podName, podNames } from '../causes/pod-names.ts'
import { isConflict, requestedDisks } from './disks.ts'

/** Names the disks and ReadWriteOncePod claims of the pod that other pods use. */
export function diskCauses(
  pod: Pod,
  exclusive: ReadonlySet<string>,
  cluster: ClusterTable,
): (row: number) => readonly string[] {
  const requested = requestedDisks(pod)
  const claims = [...exclusive].flatMap((claim) => {
    const users = [...cluster.rows.liveRows()].flatMap((row) =>
      cluster
        .podsOn(row)
        .filter((other) => other.metadata.namespace === pod.metadata.namespace && usesClaim(other, claim)),
    )
    if (users.length === 0) return []
    return `Claim ${claim} has the access mode ReadWriteOncePod, and ${podNames(users)} uses it.`
  })
  return (row) => {
    const disks = cluster
      .podsOn(row)
      .flatMap((other) =>
        (other.spec.volumes ?? [])
          .filter((used) => isConflict(used, requested))
          .map(
            ({ name }) =>
              `Volume ${name} of pod ${podName(other)} is a disk that the pod also uses; it cannot be shared.`,
          ),
      )
    return disks.length > 0 ? disks : claims
  }
}

function usesClaim({ spec }: Pod, claim: string): boolean {
  return (spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim)
}
