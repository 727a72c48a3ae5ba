import { isBound, isExtendedResourceName, isTerminal, podRequest } from '@berth/resources'
import type { Pod } from '@berth/types'
import { alignColumns } from '../../output/align-columns.ts'
import type { Paint } from '../../output/paint.ts'
import { shownAmount } from '../../output/shown-amount.ts'

/** Amounts that pods request of one resource, in whole units; cpu in thousandths. */
export interface RequestedUnits {
  readonly resourceName: string
  readonly requested: bigint
  /** Number of pods that request it. */
  readonly pods: number
}

/**
 * Returns what the pods with a node request, sorted by resource name: all that can be said without the right to list
 * nodes. Empty when no pod requests anything.
 *
 * @param options.withNative - Includes cpu, memory and other native resources.
 */
export function requestedUnits(
  pods: readonly Pod[],
  options: { readonly withNative: boolean; readonly resourceName?: string | undefined },
): readonly RequestedUnits[] {
  const totals = new Map<string, { requested: bigint; pods: number }>()
  for (const pod of pods.filter((one) => isBound(one) && !isTerminal(one))) {
    const { milliCpu, memory, ephemeralStorage, scalar } = podRequest(pod)
    const native = [
      ['cpu', milliCpu],
      ['memory', memory],
      ['ephemeral-storage', ephemeralStorage],
    ] as const
    for (const [name, amount] of [...native, ...scalar]) {
      const isWanted =
        options.resourceName === undefined
          ? options.withNative || isExtendedResourceName(name)
          : options.resourceName === name
      if (!isWanted || amount === 0n) continue
      const total = totals.get(name) ?? { requested: 0n, pods: 0 }
      totals.set(name, { requested: total.requested + amount, pods: total.pods + 1 })
    }
  }
  return [...totals]
    .map(([resourceName, total]) => ({ resourceName, ...total }))
    .toSorted((a, b) => (a.resourceName < b.resourceName ? -1 : 1))
}

/** Renders the requests as a table. */
export function requestedText(units: readonly RequestedUnits[], paint: Paint): string {
  const rows = units.map(({ resourceName, requested, pods }) => [
    resourceName,
    shownAmount(resourceName, requested),
    `${pods}`,
  ])
  const [header = '', ...lines] = alignColumns([['RESOURCE', 'REQUESTED', 'PODS'], ...rows])
  return `${[paint('strong', header), ...lines].join('\n')}\n`
}
