import type { Device } from '@berth/types'
import { physicalOf } from './physical-of.ts'

/** How the slots of shared devices are distributed among containers. */
export const allocationPolicies = ['pack', 'spread', 'distinct'] as const

/** One of {@link allocationPolicies}. */
export type AllocationPolicy = (typeof allocationPolicies)[number]

/**
 * Takes `count` of the candidates. `pack` fills the device with the fewest free slots, so that others stay whole.
 * `spread` and `distinct` take one slot of each device, first of those with the most free slots.
 */
export function takeByPolicy(
  policy: AllocationPolicy,
  options: {
    readonly candidates: readonly Device[]
    readonly chosen: ReadonlyMap<string, Device>
    readonly count: number
  },
): readonly Device[] {
  const { candidates, chosen, count } = options
  const slots = Map.groupBy(candidates, physicalOf)
  // Without shared devices, all orders are the order of the ids.
  if (slots.size === candidates.length && chosen.size === 0) return candidates.slice(0, count)
  const held = Map.groupBy(chosen.values(), physicalOf)
  const ranked = [...slots].map(([physical, free]) => ({ free, heldCount: held.get(physical)?.length ?? 0 }))
  if (policy === 'pack') {
    ranked.sort((a, b) => b.heldCount - a.heldCount || a.free.length - b.free.length)
    return ranked.flatMap(({ free }) => free).slice(0, count)
  }
  ranked.sort((a, b) => a.heldCount - b.heldCount || b.free.length - a.free.length)
  const taken: Device[] = []
  for (let round = 0; taken.length < Math.min(count, candidates.length); round++) {
    for (const { free } of ranked) {
      const device = free[round]
      if (device !== undefined && taken.length < count) taken.push(device)
    }
  }
  return taken
}
