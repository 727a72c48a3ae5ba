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
/** Number of frames of the backlog in one chunk: all objects of a large cluster together are longer than a string can be. */
const BACKLOG_FRAMES_PER_CHUNK = 4_096

/**
 * Creates the stream of one watch.
 *
 * @param onClosed - Called once, when either side ends the stream.
 */
export function createWatchStream(onClosed: () => void): WatchStream {
  const encoder = new TextEncoder()
  let backlog: string[] = []
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

  const add = (frames: string[], frame: string): void => {
    if (isEnded) return
    frames.push(frame)
    resumeReader?.()
  }

  /** Returns the frames of the next chunk. */
  const takeFrames = (): readonly string[] => {
    if (backlog.length > 0) return backlog.splice(0, BACKLOG_FRAMES_PER_CHUNK)
    const frames = pending
    pending = []
    pendingLength = 0
    return frames
  }

  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      if (backlog.length === 0 && pending.length === 0 && !isEnded) {
        await new Promise<void>((resolve) => {
          resumeReader = resolve
        })
      }
      const frames = takeFrames()
      if (frames.length === 0) return { done: true, value: undefined }
      return { done: false, value: encoder.encode(`${frames.join('\n')}\n`) }
    },
    return() {
      backlog = []
      pending = []
      end()
      return Promise.resolve({ done: true, value: undefined })
    },
  }

  return {
    body: { [Symbol.asyncIterator]: () => iterator },
    push(frame) {
      add(pending, frame)
      pendingLength += frame.length
      if (pendingLength > MAX_PENDING_CHARACTERS) end()
    },
    pushBacklog: (frame) => add(backlog, frame),
    end,
    get isEnded() {
      return isEnded
    },
  }
}
