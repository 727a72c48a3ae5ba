import { unitOf } from './resource-unit.ts'

const binaryUnits = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const

/**
 * Formats an amount as kubectl users write it.
 *
 * @param amount - Whole units; cpu in milli, memory and storage in bytes.
 */
export function shownAmount(resourceName: string, amount: bigint): string {
  if (resourceName === 'cpu') return amount % 1_000n === 0n ? `${amount / 1_000n}` : `${amount}m`
  if (unitOf(resourceName) !== 'bytes') return amount.toString()
  let rest = amount
  let unit = 0
  while (rest !== 0n && rest % 1_024n === 0n && unit < binaryUnits.length - 1) {
    rest /= 1_024n
    unit++
  }
  return `${rest}${binaryUnits[unit] ?? ''}`
}
