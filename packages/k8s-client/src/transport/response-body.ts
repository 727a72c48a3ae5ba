/** Bytes that wait for their reader, above which the source is paused. */
const MAX_WAITING_BYTES = 256 * 1024

/** The stream that delivers a body. */
export interface BodySource {
  pause(): void
  resume(): void
  /** The reader does not want the rest of the body. */
  cancel(): void
}

/** A body that is read while it arrives. */
export interface ResponseBody extends AsyncIterable<Uint8Array> {
  push(chunk: Uint8Array): void
  /** The body is complete. */
  end(): void
  /** The rest will not arrive. The reader gets the error after what has arrived. */
  fail(error: Error): void
}

interface Reader {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void
  readonly reject: (error: Error) => void
}

/** Creates an empty body for one reader. A reader that stalls pauses its source. */
export function createResponseBody(source: BodySource): ResponseBody {
  const chunks: Uint8Array[] = []
  let waitingBytes = 0
  let isPaused = false
  let isEnded = false
  let failure: Error | undefined
  let reader: Reader | undefined

  const settle = (): void => {
    const waiting = reader
    reader = undefined
    if (waiting === undefined) return
    if (failure === undefined) waiting.resolve({ done: true, value: undefined })
    else waiting.reject(failure)
  }
  const takeChunk = (): Uint8Array | undefined => {
    const chunk = chunks.shift()
    waitingBytes -= chunk?.byteLength ?? 0
    if (isPaused && waitingBytes <= MAX_WAITING_BYTES) {
      isPaused = false
      source.resume()
    }
    return chunk
  }

  return {
    push(chunk) {
      if (isEnded) return
      if (reader !== undefined) {
        const { resolve } = reader
        reader = undefined
        resolve({ done: false, value: chunk })
        return
      }
      chunks.push(chunk)
      waitingBytes += chunk.byteLength
      if (isPaused || waitingBytes <= MAX_WAITING_BYTES) return
      isPaused = true
      source.pause()
    },
    end() {
      isEnded = true
      settle()
    },
    fail(error) {
      isEnded = true
      failure = error
      settle()
    },
    [Symbol.asyncIterator]: () => ({
      next() {
        const value = takeChunk()
        if (value !== undefined) return Promise.resolve({ done: false, value })
        if (failure !== undefined) return Promise.reject(failure)
        if (isEnded) return Promise.resolve({ done: true, value: undefined })
        return new Promise((resolve, reject) => (reader = { resolve, reject }))
      },
      return() {
        if (!isEnded) {
          isEnded = true
          chunks.length = 0
          source.cancel()
        }
        return Promise.resolve({ done: true, value: undefined })
      },
    }),
  }
}
