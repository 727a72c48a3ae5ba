/** A watch's way to its client: frames go in as they happen and come out as chunks. */
export interface WatchStream {
  readonly body: AsyncIterable<Uint8Array>
  /** Adds one frame (a JSON text). */
  push(frame: string): void
  /** Ends the stream once what was pushed has been read. */
  end(): void
  readonly isEnded: boolean
}

/** Characters that may wait for a client that does not read; then the watch ends, as upstream ends a slow one. */
const MAX_WAITING = 256 * 1024 * 1024

/**
 * @param onClosed - Called once when the stream ends from either side.
 */
export function createWatchStream(onClosed: () => void): WatchStream {
  const encoder = new TextEncoder()
  let waiting: string[] = []
  let waitingLength = 0
  let isEnded = false
  let wake: (() => void) | undefined

  const end = (): void => {
    if (isEnded) return
    isEnded = true
    wake?.()
    onClosed()
  }

  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      if (waiting.length === 0 && !isEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (waiting.length === 0) return { done: true, value: undefined }
      const text = `${waiting.join('\n')}\n`
      waiting = []
      waitingLength = 0
      return { done: false, value: encoder.encode(text) }
    },
    return() {
      waiting = []
      end()
      return Promise.resolve({ done: true, value: undefined })
    },
  }

  return {
    body: { [Symbol.asyncIterator]: () => iterator },
    push(frame) {
      if (isEnded) return
      waiting.push(frame)
      waitingLength += frame.length
      wake?.()
      if (waitingLength > MAX_WAITING) end()
    },
    end,
    get isEnded() {
      return isEnded
    },
  }
}
