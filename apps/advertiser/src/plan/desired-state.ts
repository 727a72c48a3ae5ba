import type { Node } from '@berth/types'
import type { Declaration } from './declaration.ts'
import { desiredUnits, type ReadSource } from './desired-units.ts'
import type { NodePlan } from './node-plan.ts'
import { planNode, type PlanOptions } from './plan-node.ts'

/** The desired state of all nodes. It is replaced as a whole when the configuration changes. */
export interface DesiredState extends Pick<PlanOptions, 'owner' | 'adopt' | 'deviceClassOf'> {
  readonly declarations: readonly Declaration[]
  readonly readSource: ReadSource
  /** Names to remove from nodes where a device plugin left them at 0. */
  readonly staleZeros: readonly string[]
  /** The only node that this process reads and writes. Default: all nodes. */
  readonly onlyNode?: string
}

/** Plans the changes that bring `node` to the desired state. */
export function planFor(
  desired: DesiredState,
  node: Node,
  options: Pick<PlanOptions, 'nowMs' | 'use' | 'lowerings' | 'mustWait' | 'clear'>,
): NodePlan {
  const { declarations, readSource, ...fixed } = desired
  return planNode(node, desiredUnits(declarations, node, readSource), { ...fixed, ...options })
}
