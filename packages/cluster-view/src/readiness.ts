import type { Reflector } from '@berth/k8s-client'
import { BerthError } from '@berth/types'

type MirrorStatus = Pick<Reflector<unknown>, 'hasSynced' | 'lastEventAgeMs' | 'failure'>

/**
 * Returns why no decision is possible, in one line that names the resources; undefined if decisions are possible.
 *
 * @param mirrors - The reflectors by plural of their resource.
 */
export function notReadyReason(mirrors: ReadonlyMap<string, MirrorStatus>, maxAgeMs: number): string | undefined {
  if (isReady(mirrors.values(), maxAgeMs)) return undefined
  const unread = [...mirrors].filter(([, mirror]) => !mirror.hasSynced())
  const failures = unread.flatMap(([, mirror]) => mirror.failure() ?? [])
  if (failures.length > 0) return `the cluster cannot be read: ${failures.map(messageWithHint).join('; ')}`
  if (unread.length > 0) return `the cluster has not been read yet: ${unread.map(([plural]) => plural).join(', ')}`
  const stale = [...mirrors].filter(([, mirror]) => mirror.lastEventAgeMs() > maxAgeMs)
  const ageMs = Math.max(...stale.map(([, mirror]) => mirror.lastEventAgeMs()))
  const reasons = new Set(stale.flatMap(([, mirror]) => mirror.failure() ?? []).map(messageWithHint))
  const plurals = stale.map(([plural]) => plural).join(', ')
  const head = `the cached state of ${plurals} is ${Math.round(ageMs / 1_000)} s old`
  return reasons.size === 0 ? head : `${head}: ${[...reasons].join('; ')}`
}

/**
 * Returns whether every mirror has been read and is recent enough. It is called before every decision, so it must be
 * fast.
 */
export function isReady(mirrors: Iterable<MirrorStatus>, maxAgeMs: number): boolean {
  for (const mirror of mirrors) if (!mirror.hasSynced() || mirror.lastEventAgeMs() > maxAgeMs) return false
  return true
}

function messageWithHint(error: Error): string {
  const hint = error instanceof BerthError ? error.hint : undefined
  return hint === undefined ? error.message : `${error.message} ${hint}`
}
