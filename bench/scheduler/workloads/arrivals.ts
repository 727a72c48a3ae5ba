import { seededRandom } from '@berth/clock/testing'

/**
 * Returns the times of a Poisson process, in milliseconds from its start and in order. They are the same in every run, so that
 * all schedulers get the same load.
 */
export function arrivalsMs(count: number, perSecond: number): readonly number[] {
  const random = seededRandom(1)
  let atMs = 0
  return Array.from({ length: count }, () => (atMs += (-Math.log(1 - random()) * 1000) / perSecond))
}
