import type { Node } from '@berth/types'
import type { Declaration } from './declaration.ts'
import { desiredUnits, type ReadSource } from './desired-units.ts'
import { planNode, type NodePlan } from './plan-node.ts'

/** The desired state of all nodes. It is replaced as a whole when the configuration changes. */
export interface DesiredState {
  readonly declarations: readonly Declaration[]
  readonly readSource: ReadSource
  /** Take over resources that a node already offers and that Berth did not write. */
  readonly adopt: boolean
}

/** Plans the changes that bring `node` to the desired state. */
export function planFor(desired: DesiredState, node: Node): NodePlan {
  return planNode(node, desiredUnits(desired.declarations, node, desired.readSource), { adopt: desired.adopt })
}
