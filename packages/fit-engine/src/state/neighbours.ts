import { Bonds } from './pods/bonds.ts'
import { Peers } from './pods/peers.ts'
import { TopologyColumns } from './nodes/topology-columns.ts'

/**
 * What spreading and affinity between pods read: pods by labels, pods with wishes, nodes by topology. Bonds are kept
 * up to date; peers and topology take notice of changes when they are asked for.
 */
export class Neighbours {
  readonly bonds: Bonds
  readonly peers: Peers
  readonly topology: TopologyColumns

  constructor(
    bonds: Bonds = new Bonds(),
    peers: Peers = new Peers(),
    topology: TopologyColumns = new TopologyColumns(),
  ) {
    this.bonds = bonds
    this.peers = peers
    this.topology = topology
  }

  copy(): Neighbours {
    return new Neighbours(this.bonds.copy(), this.peers.copy(), this.topology.copy())
  }
}
