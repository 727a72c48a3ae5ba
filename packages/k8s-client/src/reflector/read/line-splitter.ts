const NEWLINE = 0x0a
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Splits a byte stream into lines. */
export interface LineSplitter {
  /** Returns the lines that `chunk` completes, without line ends and without empty lines. */
  push(chunk: Uint8Array): readonly string[]
  /** Number of bytes of the unfinished line. */
  pendingBytes(): number
}

/** Creates a splitter. It decodes complete lines, so that characters across chunk borders stay intact. */
export function createLineSplitter(): LineSplitter {
  const decoder = new TextDecoder()
  let pending: Uint8Array[] = []
  let pendingBytes = 0

  const take = (tail: Uint8Array): string => {
    if (pending.length === 0) return decoder.decode(tail)
    const line = decoder.decode(Buffer.concat([...pending, tail]))
    pending = []
    pendingBytes = 0
    return line
  }

  return {
    pendingBytes: () => pendingBytes,
    push(chunk) {
      const lines: string[] = []
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const line = take(chunk.subarray(start, end))
        if (line.trim() !== '') lines.push(line)
        start = end + 1
      }
      if (start < chunk.length) {
        pending.push(chunk.subarray(start))
        pendingBytes += chunk.length - start
        if (pendingBytes > MAX_LINE_BYTES) throw new Error(`a watch frame is larger than ${MAX_LINE_BYTES} bytes`)
      }
      return lines
    },
  }
}
