import type { ClusterTable } from '../../state/cluster-table.ts'

/** Names the limit on the number of pods. The other amounts are part of the usage that an explanation lists. */
export function podCountCauses(cluster: ClusterTable): (row: number) => readonly string[] {
  return (row) => {
    const allowed = cluster.allocatable(row, 'pods')
    const present = cluster.requested(row, 'pods')
    return present < allowed ? [] : [`The node accepts ${allowed} pods and has ${present}.`]
  }
}
