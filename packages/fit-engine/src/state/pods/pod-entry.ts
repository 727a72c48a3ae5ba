import { boundPodRequest } from '@berth/resources'
import type { Pod } from '@berth/types'
import { type Amount, toAmount } from '../resources/amount.ts'
import type { ResourceNames } from '../resources/resource-names.ts'

/** Positions in {@link PlacedPod.cells}. */
export const CELL_NON_ZERO_CPU = 3
export const CELL_NON_ZERO_MEMORY = 4
export const FIRST_SCALAR_CELL = 5

/** A pod that counts on a row. Never changed: a change makes a new entry. */
export interface PlacedPod {
  readonly pod: Pod
  readonly row: number
  readonly isAssumed: boolean
  /** cpu, memory, ephemeral-storage, cpu and memory with defaults, then (resource id, amount) in turn. */
  readonly cells: readonly Amount[]
}

/** What the pod takes on its node. Each named resource is retained once. */
export function encodeRequest(pod: Pod, names: ResourceNames): readonly Amount[] {
  const request = boundPodRequest(pod)
  const cells: Amount[] = [
    toAmount(request.milliCpu),
    toAmount(request.memory),
    toAmount(request.ephemeralStorage),
    toAmount(request.nonZeroMilliCpu),
    toAmount(request.nonZeroMemory),
  ]
  let hasScalars = false
  for (const [name, amount] of request.scalar) {
    if (amount === 0n) continue
    cells.push(names.acquire(name), toAmount(amount))
    hasScalars = true
  }
  // A pushed array keeps spare room; the copy is exact, and there are many pods.
  return hasScalars ? cells.slice() : cells
}

/** Gives back what {@link encodeRequest} retained. */
export function releaseRequest(cells: readonly Amount[], names: ResourceNames): void {
  for (let i = FIRST_SCALAR_CELL; i < cells.length; i += 2) names.release(Number(cells[i]))
}
