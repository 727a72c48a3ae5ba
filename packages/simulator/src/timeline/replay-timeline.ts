import type { ApiHandler, ApiResponse, Clock } from '@berth/types'
import { pause } from '@berth/clock'
import { createOwnerUids, TIMELINE_USER_AGENT } from './owner-uids.ts'
import type { TimelineWrite } from './parse-timeline.ts'

/** Writes of a replay until its end. */
export interface ReplayResult {
  readonly written: number
  /** Writes that the API server refused, such as those of objects that the cluster does not have. */
  readonly refused: readonly { readonly request: string; readonly status: number }[]
  /** Number of owner references that are left out, because the cluster does not have the owner. */
  readonly withoutOwner: number
}

/** Options of {@link replayTimeline}. */
export interface ReplayOptions {
  readonly handle: ApiHandler
  readonly clock: Clock
  /** Seconds of the timeline in one second. */
  readonly speed: number
  /** Ends the replay early. */
  readonly stop: AbortSignal
}

/**
 * Sends the writes of a timeline at their times. Each waits for the end of the one before. Owner references name the owner
 * that the cluster has, which has another uid than the recorded one.
 */
export async function replayTimeline(
  writes: readonly TimelineWrite[],
  { handle, clock, speed, stop }: ReplayOptions,
): Promise<ReplayResult> {
  const startMs = clock.monotonic()
  const refused: ReplayResult['refused'][number][] = []
  const owners = createOwnerUids(handle)
  let written = 0
  for (const { afterMs, method, path, contentType, body } of writes) {
    const delayMs = startMs + afterMs / speed - clock.monotonic()
    if (delayMs > 0) await pause(clock, delayMs, stop)
    if (stop.aborted) break
    const sent = method === 'DELETE' ? body : await owners.translate(path, body)
    const response = await handle({
      method,
      path,
      headers: { 'content-type': contentType, accept: 'application/json', 'user-agent': TIMELINE_USER_AGENT },
      ...(sent !== undefined && { body: Buffer.from(JSON.stringify(sent)) }),
    })
    await drain(response)
    if (response.status < 300) written++
    else refused.push({ request: `${method} ${path}`, status: response.status })
  }
  return { written, refused, withoutOwner: owners.missing() }
}

async function drain({ body }: ApiResponse): Promise<void> {
  for await (const _chunk of body) {
    // A response must be read to its end.
  }
}
