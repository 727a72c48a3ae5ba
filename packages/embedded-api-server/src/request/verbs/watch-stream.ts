/** A watch's way to its client: frames go in as they happen and come out as chunks. */
export interface WatchStream {
  readonly body: AsyncIterable<Uint8Array>
  /** Adds one frame (a JSON text); ends the stream where too much waits already. */
  readonly push: (frame: string) => void
  /** Adds a frame of what was there before the stream began: such may be as many as there are. */
  readonly pushBacklog: (frame: string) => void
  /** Ends the stream once what was pushed has been read. */
  end(): void
  readonly isEnded: boolean
}

/**
 * Characters that may wait for a client that does not read; then the watch ends, as upstream ends a slow one (after some
 * hundred events and tenths of a second; here a burst comes before anybody can read, so that size alone decides).
 */
const MAX_PENDING_CHARACTERS = 64 * 1024 * 1024

/**
 * @param onClosed - Called once when the stream ends from either side.
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
