import type { InsufficientResource } from '@berth/types'
import type { ResourceStore } from '../../state/resources/resource-store.ts'
import { type ResourceDemand, isShort } from './demand.ts'

/**
 * Returns the resources of which the row has too little, in the order of the demands. Resources that a DeviceClass
 * backs and the node does not offer are listed only when nothing else is short.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest (v1.36)
 */
export function shortagesOf(
  demands: readonly ResourceDemand[],
  row: number,
  store: ResourceStore,
): readonly InsufficientResource[] {
  const all = demands.flatMap((demand) => shortageOf(demand, row, store) ?? [])
  const real = all.filter(({ isDelegated }) => isDelegated !== true)
  return real.length > 0 ? real : all
}

function shortageOf(demand: ResourceDemand, row: number, store: ResourceStore): InsufficientResource | undefined {
  const { resourceName, id, amount, reason, canBeUnresolvable, deviceClass } = demand
  const capacity = id === undefined ? 0 : store.allocatable(id, row)
  const used = id === undefined ? 0 : store.requested(id, row)
  const isDelegated = deviceClass !== undefined && capacity <= 0
  if (!isDelegated && !isShort(id, amount, capacity, used)) return undefined
  return {
    resourceName,
    requested: BigInt(amount),
    used: BigInt(used),
    capacity: BigInt(capacity),
    reason: isDelegated
      ? `node(s) didn't offer ${resourceName}, which is delegated to DeviceClass ${deviceClass}`
      : reason,
    isUnresolvable: canBeUnresolvable && amount > capacity,
    ...(isDelegated && { isDelegated }),
  }
}
