import type { Clock } from '@berth/types'

/** The kubelet lists the devices of a container this long after their Allocate at the latest. */
const GRANT_GRACE_MS = 5_000

/** The ids of a resource that containers hold, as far as this process knows. */
export interface HeldIds {
  has(id: string): boolean
  /** Records that the kubelet got devices for a container. Without {@link HeldIds.update}, they count as held from then on. */
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
  let listed: ReadonlySet<string> = new Set()
  const grantedAtMs = new Map<string, number>()
  const all = (): ReadonlySet<string> => new Set([...listed, ...grantedAtMs.keys()])

  return {
    has: (id) => listed.has(id) || grantedAtMs.has(id),
    grant(ids) {
      const nowMs = clock.monotonic()
      for (const id of ids) grantedAtMs.set(id, nowMs)
    },
    update(ids, askedAtMs) {
      const before = all()
      listed = new Set(ids)
      for (const [id, atMs] of grantedAtMs) if (atMs + GRANT_GRACE_MS <= askedAtMs) grantedAtMs.delete(id)
      return [...before.symmetricDifference(all())]
    },
  }
}
