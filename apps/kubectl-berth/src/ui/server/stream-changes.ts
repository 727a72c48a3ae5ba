import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { pause } from '@berth/clock'
import type { Clock } from '@berth/types'
import type { UiFeed } from '../feed.ts'
import { changeBetween } from '../model/model-changes.ts'
import { BEAT_MS, type UiMessage, type UiModel } from '../model/ui-model.ts'

/** Time between two looks at the state of the connection to the API server. */
const CHECK_MS = 1_000

/**
 * Writes a line whenever the feed has changed, until the page goes away. A page that reads slowly gets fewer and larger
 * changes: the next line is made when the last one was taken.
 */
export async function streamChanges(response: ServerResponse, feed: UiFeed, clock: Clock): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  using _use = feed.use()
  let writtenMs = clock.monotonic()
  const write = (message: UiMessage): void => {
    response.write(`${JSON.stringify(message)}\n`)
    writtenMs = clock.monotonic()
  }
  const next = messages(feed)
  while (!gone.signal.aborted) {
    for (const message of next()) write(message)
    if (clock.monotonic() - writtenMs >= BEAT_MS) write({ kind: 'beat' })
    if (response.writableNeedDrain) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
    else await nextChange(feed, clock, gone.signal)
  }
}

/** Returns a function that returns the messages about what has changed since its last call. */
function messages(feed: UiFeed): () => readonly UiMessage[] {
  let shown: UiModel | undefined
  let sequence = 0
  let failure: string | undefined
  const dataMessage = (model: UiModel): UiMessage | undefined => {
    const { points, sequence: last } = feed.pointsAfter(sequence)
    sequence = last
    if (shown === undefined) return { kind: 'start', feed: feed.kind, model, points }
    const change = changeBetween(shown, model)
    if (change !== undefined) return { ...change, points }
    const { timeMs, pendingCount, notes } = model
    return points.length === 0 ? undefined : { kind: 'change', timeMs, pendingCount, notes, resources: [], points }
  }
  return () => {
    const found: UiMessage[] = []
    const model = feed.latest()
    if (model !== undefined && model !== shown) {
      const message = dataMessage(model)
      if (message !== undefined) found.push(message)
      shown = model
    }
    const problem = feed.problem()
    if (problem !== failure)
      found.push(problem === undefined ? { kind: 'recovered' } : { kind: 'failed', sentence: problem })
    failure = problem
    return found
  }
}

/** Waits for the next change of the feed, or until its state must be looked at again. */
export async function nextChange(feed: UiFeed, clock: Clock, signal: AbortSignal): Promise<void> {
  const woken = new AbortController()
  const wake = (): void => woken.abort()
  const unsubscribe = feed.subscribe(wake)
  signal.addEventListener('abort', wake, { once: true })
  if (!signal.aborted) await pause(clock, CHECK_MS, woken.signal)
  signal.removeEventListener('abort', wake)
  unsubscribe()
}
