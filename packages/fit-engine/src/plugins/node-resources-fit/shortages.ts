import type { InsufficientResource } from '@berth/types'
import type { ResourceStore } from '../../state/resources/resource-store.ts'
import { type Demand, isShort } from './demand.ts'

/**
 * What the row is short of, in the order of the demands. Names that a DeviceClass backs and the node does not offer
 * are not short: the answer names them only where nothing else is in the way.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest (v1.36)
 */
export function shortagesOf(
  demands: readonly Demand[],
  row: number,
  store: ResourceStore,
): readonly InsufficientResource[] {
  const all = demands.flatMap((demand) => shortageOf(demand, row, store) ?? [])
  const real = all.filter(({ isDelegated }) => isDelegated !== true)
  return real.length > 0 ? real : all
}

function shortageOf(demand: Demand, row: number, store: ResourceStore): InsufficientResource | undefined {
  const { resourceName, id, amount, reason, canBeFinal, deviceClass } = demand
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
    isUnresolvable: canBeFinal && amount > capacity,
    ...(isDelegated && { isDelegated }),
  }
}
