import type { ApiObject } from '../json/api-object.ts'

/** The rest of a list that is read page by page. */
export interface ListSnapshot {
  readonly revision: number
  readonly items: readonly ApiObject[]
}

/** Remembers lists whose pages are not all read, so that every page shows the same moment. */
export interface ListSnapshots {
  /** Keeps what is left and returns the token for the next page. */
  keep(snapshot: ListSnapshot): string
  /** What a token stands for; undefined when it was forgotten. A token can be used again. */
  find(token: string): ListSnapshot | undefined
}

/** Lists that are kept at once; the oldest goes first, and its reader gets 410. */
const CAPACITY = 256

/** Remembers the latest {@link CAPACITY} unfinished lists. */
export function createListSnapshots(): ListSnapshots {
  const snapshots = new Map<string, ListSnapshot>()
  let count = 0
  return {
    keep(snapshot) {
      const token = Buffer.from(JSON.stringify({ v: 'berth.sim/v1', rv: snapshot.revision, id: ++count })).toString(
        'base64url',
      )
      snapshots.set(token, snapshot)
      const [oldest] = snapshots.keys()
      if (snapshots.size > CAPACITY && oldest !== undefined) snapshots.delete(oldest)
      return token
    },
    find: (token) => snapshots.get(token),
  }
}
