import type { ApiResponse } from '@berth/types'
import type { ConformanceTarget, Json } from './conformance-case.ts'

const TIMEOUT_MS = 60_000
const PAUSE_MS = 50

/** Reads a response body: parsed where it is a JSON object (not every path says so in its headers), text otherwise. */
export async function readAnswer(response: ApiResponse): Promise<Json> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true })
  return text.startsWith('{') ? JSON.parse(text) : text
}

/** Reads watch events until there are `count`, the server ends the watch, or the timeout passes; then closes the watch. */
export async function readFrames(
  target: ConformanceTarget,
  response: ApiResponse,
  { count, abort }: { readonly count: number; readonly abort: AbortController },
): Promise<readonly Json[]> {
  const frames: Json[] = []
  const state = { isOver: false }
  const reading = (async () => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      frames.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line)))
      if (frames.length >= count) break
    }
  })()
    .catch((error: unknown) => {
      if (!abort.signal.aborted) throw error
    })
    .finally(() => {
      state.isOver = true
    })
  for (let waitedMs = 0; !state.isOver && frames.length < count && waitedMs < TIMEOUT_MS; waitedMs += PAUSE_MS) {
    await target.pause(PAUSE_MS)
  }
  abort.abort()
  await reading
  return frames.slice(0, count)
}

/** Polls until the condition holds or the timeout passes. Resolves in both cases. */
export async function poll(target: ConformanceTarget, condition: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += PAUSE_MS) {
    if (await condition()) return
    await target.pause(PAUSE_MS)
  }
}
