import { resourceUsers } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { NodePlan } from './plan-node.ts'

/** A resource of which running pods use more than the node will offer. */
export interface Shortfall {
  readonly resourceName: string
  /** The units that the node will offer; 0 when the resource is withdrawn. */
  readonly units: bigint
  readonly inUse: bigint
  /** `namespace/name` of the pods that use units, sorted. */
  readonly pods: readonly string[]
}

/** Returns the resources that the plan lowers or withdraws, with their new units. Pods matter only for these. */
export function findLoweredResources(plan: NodePlan): ReadonlyMap<string, bigint> {
  const lowered = new Map<string, bigint>()
  for (const change of plan.changes) {
    if (change.kind === 'record') continue
    const units = change.kind === 'set' ? change.units : 0n
    if (units < (change.observed.allocatable ?? 0n)) lowered.set(change.resourceName, units)
  }
  return lowered
}

/**
 * Returns the lowered resources of which running pods use more than the new units. Lowering evicts no pod, but the
 * kubelet may refuse to admit such pods again after its next restart (`OutOf<resource>`).
 */
export function findShortfalls(lowered: ReadonlyMap<string, bigint>, pods: readonly Pod[]): readonly Shortfall[] {
  return [...lowered].flatMap(([resourceName, units]) => {
    const users = resourceUsers(pods, resourceName)
    const inUse = users.reduce((sum, user) => sum + user.units, 0n)
    return inUse <= units ? [] : [{ resourceName, units, inUse, pods: users.map(({ name }) => name) }]
  })
}
