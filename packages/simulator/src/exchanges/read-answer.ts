import type { ApiResponse } from '@berth/types'
import type { ExchangeTarget, Json } from './exchange.ts'

const PATIENCE_MS = 60_000
const PAUSE_MS = 50

/** Reads an answer whole: a JSON object where it is one (not every path says so in its headers), text otherwise. */
export async function readAnswer(response: ApiResponse): Promise<Json> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true })
  return text.startsWith('{') ? JSON.parse(text) : text
}

/** Reads frames of a watch until there are enough, the server ends it, or patience does; then ends it. */
export async function readFrames(
  target: ExchangeTarget,
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
  for (let waitedMs = 0; !state.isOver && frames.length < count && waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
    await target.pause(PAUSE_MS)
  }
  abort.abort()
  await reading
  return frames.slice(0, count)
}

/** Asks until it is so, or patience ends. */
export async function patiently(target: ExchangeTarget, isSo: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
    if (await isSo()) return
    await target.pause(PAUSE_MS)
  }
}
