import type { Reflector } from '@berth/k8s-client'
import { BerthError } from '@berth/types'

type Watched = Pick<Reflector<unknown>, 'hasSynced' | 'lastEventAgeMs' | 'failure'>

/**
 * Why the mirrors cannot be decided on, in one line that names the resources; undefined when they can.
 *
 * @param mirrors - By plural of the resource.
 */
export function unreadiness(mirrors: ReadonlyMap<string, Watched>, maxAgeMs: number): string | undefined {
  if (isReady(mirrors.values(), maxAgeMs)) return undefined
  const unread = [...mirrors].filter(([, mirror]) => !mirror.hasSynced())
  const failures = unread.flatMap(([, mirror]) => mirror.failure() ?? [])
  if (failures.length > 0) return `the cluster cannot be read: ${failures.map(sentence).join('; ')}`
  if (unread.length > 0) return `the cluster has not been read yet: ${unread.map(([plural]) => plural).join(', ')}`
  const stale = [...mirrors].filter(([, mirror]) => mirror.lastEventAgeMs() > maxAgeMs)
  const ageMs = Math.max(...stale.map(([, mirror]) => mirror.lastEventAgeMs()))
  const reasons = new Set(stale.flatMap(([, mirror]) => mirror.failure() ?? []).map(sentence))
  const plurals = stale.map(([plural]) => plural).join(', ')
  const head = `the last word of the API server about ${plurals} is ${Math.round(ageMs / 1_000)} s old`
  return reasons.size === 0 ? head : `${head}: ${[...reasons].join('; ')}`
}

/** Asked before every decision. */
export function isReady(mirrors: Iterable<Watched>, maxAgeMs: number): boolean {
  for (const mirror of mirrors) if (!mirror.hasSynced() || mirror.lastEventAgeMs() > maxAgeMs) return false
  return true
}

function sentence(error: Error): string {
  const hint = error instanceof BerthError ? error.hint : undefined
  return hint === undefined ? error.message : `${error.message} ${hint}`
}
