import type { Random } from '@berth/types'

/**
 * Changes `ms` at random by up to `share` of it in either direction, so that many callers do not retry at the same moment.
 *
 * @param share - 0.25 gives 75 to 125 percent of `ms`.
 */
export function jitter(ms: number, share: number, random: Random): number {
  return ms * (1 - share + 2 * share * random())
}
