/** The response body of a watch: takes frames as they occur and yields them as chunks. */
export interface WatchStream {
  readonly body: AsyncIterable<Uint8Array>
  /** Adds one frame (a JSON text). Ends the stream when too much is pending. */
  readonly push: (frame: string) => void
  /** Adds a frame of the state before the watch started. These do not count against the limit. */
  readonly pushBacklog: (frame: string) => void
  /** Ends the stream after the pending frames have been read. */
  end(): void
  readonly isEnded: boolean
}

/**
 * Maximum number of characters pending for a client that does not read. Upstream also ends a slow watch, by number of events
 * and time. Here a burst is pushed before the client can read, so only the size decides.
 */
const MAX_PENDING_CHARACTERS = 64 * 1024 * 1024

/**
 * Creates the stream of one watch.
 *
 * @param onClosed - Called once, when either side ends the stream.
 */
export function createWatchStream(onClosed: () => void): WatchStream {
  const encoder = new TextEncoder()
  let pending: string[] = []
  let pendingLength = 0
  let isEnded = false
  let resumeReader: (() => void) | undefined

  const end = (): void => {
    if (isEnded) return
    isEnded = true
    resumeReader?.()
    onClosed()
  }

  const add = (frame: string): void => {
    if (isEnded) return
    pending.push(frame)
    resumeReader?.()
  }

  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      if (pending.length === 0 && !isEnded) {
        await new Promise<void>((resolve) => {
          resumeReader = resolve
        })
      }
      if (pending.length === 0) return { done: true, value: undefined }
      const text = `${pending.join('\n')}\n`
      pending = []
      pendingLength = 0
      return { done: false, value: encoder.encode(text) }
    },
    return() {
      pending = []
      end()
      return Promise.resolve({ done: true, value: undefined })
    },
  }

  return {
    body: { [Symbol.asyncIterator]: () => iterator },
    push(frame) {
      add(frame)
      pendingLength += frame.length
      if (pendingLength > MAX_PENDING_CHARACTERS) end()
    },
    pushBacklog: add,
    end,
    get isEnded() {
      return isEnded
    },
  }
}
