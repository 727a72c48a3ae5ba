import type { Pod } from '@berth/types'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { taintText, untoleratedTaints } from './untolerated-taints.ts'

/** Names the taints that the pod does not tolerate. */
export function taintCauses(pod: Pod, cluster: ClusterTable): (row: number) => readonly string[] {
  return (row) =>
    untoleratedTaints(pod, cluster.node(row)).map((taint) => `The pod does not tolerate the taint ${taintText(taint)}.`)
}
