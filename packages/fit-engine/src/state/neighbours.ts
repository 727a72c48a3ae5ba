import { AffinityTermIndex } from './pods/bonds.ts'
import { PodLabelIndex } from './pods/peers.ts'
import { TopologyColumns } from './nodes/topology-columns.ts'

/**
 * What spreading and affinity between pods read: pods by labels, pods with wishes, nodes by topology. Bonds are kept
 * up to date; peers and topology take notice of changes when they are asked for.
 */
export class PlacementIndexes {
  readonly affinityTerms: AffinityTermIndex
  readonly podLabels: PodLabelIndex
  readonly topology: TopologyColumns

  constructor(
    bonds: AffinityTermIndex = new AffinityTermIndex(),
    peers: PodLabelIndex = new PodLabelIndex(),
    topology: TopologyColumns = new TopologyColumns(),
  ) {
    this.affinityTerms = bonds
    this.podLabels = peers
    this.topology = topology
  }

  copy(): PlacementIndexes {
    return new PlacementIndexes(this.affinityTerms.copy(), this.podLabels.copy(), this.topology.copy())
  }
}
