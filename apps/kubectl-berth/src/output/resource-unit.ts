/** The unit of a resource. Every output format labels it so. */
export type ResourceUnit = 'cores' | 'bytes' | 'units'

/** Returns the unit in which amounts of a resource are counted. */
export function unitOf(resourceName: string): ResourceUnit {
  if (resourceName === 'cpu') return 'cores'
  return isBytes(resourceName) ? 'bytes' : 'units'
}

/**
 * Returns an amount in the {@link unitOf} a resource, for programs: cores have up to three decimals.
 *
 * @param amount - Whole units; cpu in milli.
 */
export function amountInUnit(resourceName: string, amount: bigint): number | bigint {
  return resourceName === 'cpu' ? Number(amount) / 1_000 : amount
}

function isBytes(resourceName: string): boolean {
  return resourceName === 'memory' || resourceName === 'ephemeral-storage' || resourceName.startsWith('hugepages-')
}
