import type { ApiClient } from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import type { Node } from '@berth/types'
import { planFor, type DesiredState } from '../plan/desired-state.ts'
import type { NodePlan } from '../plan/node-plan.ts'
import type { PlanOptions } from '../plan/plan-node.ts'
import { resourceUse, type NodeUse } from '../plan/resource-use.ts'
import { podsOnNode } from '../sources/held-units.ts'

/** Options of {@link planAboveUse}. */
export interface PlanAboveUseOptions extends Pick<PlanOptions, 'nowMs' | 'lowerings' | 'mustWait' | 'clear'> {
  readonly client: Pick<ApiClient, 'list'>
  readonly desired: DesiredState
  readonly signal?: AbortSignal
}

/**
 * Plans a node so that no resource goes below what running pods hold. The pods of the node are listed only if the plan
 * lowers something. If they cannot be listed, the plan lowers nothing.
 */
export async function planAboveUse(node: Node, options: PlanAboveUseOptions): Promise<NodePlan> {
  const { client, desired, signal } = options
  const plan = planFor(desired, node, options)
  if (plan.lowered.size === 0) return plan
  return planFor(desired, node, { ...options, use: await readUse(client, plan, signal) })
}

/** Returns what running pods hold of the resources that the plan lowers. */
export async function readUse(
  client: Pick<ApiClient, 'list'>,
  { nodeName, lowered }: Pick<NodePlan, 'nodeName' | 'lowered'>,
  signal?: AbortSignal,
): Promise<NodeUse> {
  try {
    return resourceUse(lowered.keys(), await podsOnNode(client, nodeName, signal))
  } catch (error) {
    return { kind: 'unknown', reason: `cannot read what the running pods of the node hold: ${errorText(error)}` }
  }
}
