const MILLI = 1000n
const binarySuffixes: readonly (readonly [string, bigint])[] = [
  ['Ti', 1n << 40n],
  ['Gi', 1n << 30n],
  ['Mi', 1n << 20n],
  ['Ki', 1n << 10n],
]

/**
 * Formats an amount as in a manifest.
 *
 * @param amount - Whole units; cpu in milli.
 */
export function formatAmount(resourceName: string, amount: bigint): string {
  if (resourceName === 'cpu') return amount % MILLI === 0n ? `${amount / MILLI}` : `${amount}m`
  const isBytes =
    resourceName === 'memory' || resourceName === 'ephemeral-storage' || resourceName.startsWith('hugepages-')
  const fitting = isBytes ? binarySuffixes.find(([, unit]) => amount !== 0n && amount % unit === 0n) : undefined
  return fitting === undefined ? `${amount}` : `${amount / fitting[1]}${fitting[0]}`
}
