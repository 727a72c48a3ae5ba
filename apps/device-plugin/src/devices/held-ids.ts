import type { Clock } from '@berth/types'

/** The kubelet lists the devices of a container this long after their Allocate at the latest. */
const GRANT_GRACE_MS = 5_000

/** The ids of a resource that containers hold, as far as this process knows. */
export interface HeldIds {
  has(id: string): boolean
  /** Records that the kubelet got devices for a container. Does nothing before the first {@link HeldIds.update}. */
  grant(ids: readonly string[]): void
  /**
   * Replaces the ids by those that the kubelet lists. Ids that were granted shortly before stay.
   *
   * @param askedAtMs - When the kubelet was asked, in monotonic time.
   * @returns The ids that are held now and were not before, or the other way round.
   */
  update(ids: Iterable<string>, askedAtMs: number): readonly string[]
}

/** Creates a record in which no id is held. */
export function createHeldIds(clock: Clock): HeldIds {
  /** Undefined while the kubelet has not been asked: then nothing would end a grant. */
  let listed: ReadonlySet<string> | undefined
  let grantedAtMs: ReadonlyMap<string, number> = new Map()
  const all = (): ReadonlySet<string> => new Set([...(listed ?? []), ...grantedAtMs.keys()])

  return {
    has: (id) => listed?.has(id) === true || grantedAtMs.has(id),
    grant(ids) {
      if (listed === undefined) return
      const nowMs = clock.monotonic()
      grantedAtMs = new Map([...grantedAtMs, ...ids.map((id) => [id, nowMs] as const)])
    },
    update(ids, askedAtMs) {
      const before = all()
      listed = new Set(ids)
      grantedAtMs = new Map([...grantedAtMs].filter(([, atMs]) => atMs + GRANT_GRACE_MS > askedAtMs))
      return [...before.symmetricDifference(all())]
    },
  }
}
