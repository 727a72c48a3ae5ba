import type { Amount } from '../../state/resources/amount.ts'

/**
 * Returns a cache key of amounts by resource name. Each name is preceded by its length, so that keys are unambiguous.
 */
export function requestKey(amounts: Iterable<readonly [name: string, amount: Amount | bigint]>): string {
  let key = ''
  for (const [name, amount] of amounts) key += `${name.length}:${name}=${amount};`
  return key
}
