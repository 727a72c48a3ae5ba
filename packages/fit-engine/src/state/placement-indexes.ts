import { TopologyColumns } from './nodes/topology-columns.ts'
import { AffinityTermIndex } from './pods/affinity-term-index.ts'
import { PodLabelIndex } from './pods/pod-label-index.ts'

/**
 * The indexes that pod topology spread and pod affinity read. The affinity terms are updated with every change. The
 * labels and the topology are refreshed on demand: read them through `ClusterTable.currentPodLabels` and
 * `ClusterTable.currentTopology`.
 */
export class PlacementIndexes {
  readonly affinityTerms: AffinityTermIndex
  readonly podLabels: PodLabelIndex
  readonly topology: TopologyColumns

  constructor(
    affinityTerms: AffinityTermIndex = new AffinityTermIndex(),
    podLabels: PodLabelIndex = new PodLabelIndex(),
    topology: TopologyColumns = new TopologyColumns(),
  ) {
    this.affinityTerms = affinityTerms
    this.podLabels = podLabels
    this.topology = topology
  }

  copy(): PlacementIndexes {
    return new PlacementIndexes(this.affinityTerms.copy(), this.podLabels.copy(), this.topology.copy())
  }
}
