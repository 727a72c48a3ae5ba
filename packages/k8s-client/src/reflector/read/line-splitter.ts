const NEWLINE = 0x0a
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Cuts a byte stream into lines. */
export interface LineSplitter {
  /** The lines that `chunk` completes, without line ends and without empty ones. */
  push(chunk: Uint8Array): readonly string[]
  /** Bytes of a line that has not ended. */
  pendingBytes(): number
}

/** Makes a splitter; lines are decoded whole, so that a character cut by a chunk border survives. */
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
