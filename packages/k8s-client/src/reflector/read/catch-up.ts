import { sleep } from '@berth/clock'
import type { KubernetesObject } from '@berth/types'
import { linkAbort } from '../../async/link-abort.ts'
import { isApiStatus } from '../../errors/api-error.ts'
import type { CatchUpOptions } from '../reflector.ts'
import { compareVersions } from './compare-versions.ts'
import { listReaderOf, openCollection, type ReadSession } from './read-session.ts'

const POLL_MS = 100
/**
 * Time for the watch to deliver the missing changes. After it, a list replaces the watch: a bookmark may be a minute
 * away.
 */
const WATCH_MS = 500
/** With this many objects or fewer, a list is cheaper than to wait for the watch. */
const SMALL_COLLECTION = 500
const RETRY_MS = 1_000
const LIST_SILENCE = { headersMs: 10_000, bodyMs: () => 10_000 }

interface CatchUpRequest extends CatchUpOptions {
  /** A resource that the server does not serve has nothing to catch up with. */
  readonly mayBeAbsent: boolean
}

/**
 * Waits until the store of the session is at least as new as the collection is now, or was at `sinceMs`. Resource
 * versions of different types are not comparable, so the target is the version of a list of this type. Versions that are
 * not decimal numbers cannot be compared: the wait then ends at once.
 *
 * @throws the reason of the signal or of the session, when one of them aborts
 */
export async function catchUp<T extends KubernetesObject>(
  session: ReadSession<T>,
  { mayBeAbsent, signal, sinceMs = Infinity }: CatchUpRequest,
): Promise<void> {
  const { clock } = session
  if (session.readFromMs !== undefined && session.readFromMs >= sinceMs) return
  const linked = linkAbort(session.signal, signal)
  try {
    const target = await newestVersion(session, mayBeAbsent, linked.signal)
    // A quiet collection looks behind, because its version is that of the last change of any object of the cluster.
    let giveUpAtMs = session.store.objects.size <= SMALL_COLLECTION ? POLL_MS : WATCH_MS
    for (let waitedMs = 0; isBehind(session, target); waitedMs += POLL_MS) {
      if (waitedMs >= giveUpAtMs) {
        session.giveUpWatch?.()
        giveUpAtMs += WATCH_MS
      }
      await sleep(clock, POLL_MS, linked.signal)
    }
  } finally {
    linked.release()
  }
}

function isBehind<T extends KubernetesObject>({ lastVersion }: ReadSession<T>, target: string): boolean {
  return target !== '' && (lastVersion === '' || compareVersions(lastVersion, target) === 'older')
}

/** Returns the version of the newest state, which only a list without a version shows; '' for an absent resource. */
async function newestVersion<T extends KubernetesObject>(
  session: ReadSession<T>,
  mayBeAbsent: boolean,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    try {
      const opened = await openCollection(session, 'list', { limit: '1' }, LIST_SILENCE)
      try {
        const reader = listReaderOf(session, opened.response)
        for await (const chunk of opened.chunks) reader.push(chunk)
        return reader.metadata().resourceVersion ?? ''
      } finally {
        opened.close()
      }
    } catch (error) {
      signal.throwIfAborted()
      if (mayBeAbsent && isApiStatus(error, 404)) return ''
      session.log.warn({ err: error, resource: session.subject.resource }, 'Failed to read the newest version')
    }
    await sleep(session.clock, RETRY_MS, signal)
  }
}
