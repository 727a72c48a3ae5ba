import { JsonBytes } from './json-bytes.ts'

/** A response that writes itself as JSON. */
export interface WritesJson {
  writeTo(bytes: JsonBytes): void
}

/** The bytes of a response. */
export interface ResponseBytes {
  readonly bytes: Buffer
  /** Offers the memory of the bytes to later responses. Call it once the response is sent. */
  readonly release: () => void
}

const FIRST_BYTES = 64 * 1024
/** Larger buffers are not kept. */
const MAX_KEPT_BYTES = 1024 * 1024
/** kube-scheduler makes one call with many nodes at a time. */
const MAX_KEPT = 2

/** Creates an empty pool of buffers. Returns a function that writes a response into one of them. */
export function createResponseBuffers(): (response: WritesJson) => ResponseBytes {
  const idle: Buffer[] = []
  return (response) => {
    const json = new JsonBytes(idle.pop() ?? Buffer.allocUnsafeSlow(FIRST_BYTES))
    response.writeTo(json)
    let isReleased = false
    return {
      bytes: json.written(),
      release() {
        const { buffer } = json
        if (isReleased || idle.length === MAX_KEPT || buffer.length > MAX_KEPT_BYTES) return
        isReleased = true
        idle.push(buffer)
      },
    }
  }
}
