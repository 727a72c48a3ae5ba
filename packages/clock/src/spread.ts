import type { Random } from '@berth/types'

/**
 * Returns `ms` with jitter: changed at random by up to `share` of it in either direction, so that many callers do not
 * retry at the same moment.
 *
 * @param share - 0.25 gives 75 to 125 percent of `ms`.
 */
export function spread(ms: number, share: number, random: Random): number {
  return ms * (1 - share + 2 * share * random())
}
