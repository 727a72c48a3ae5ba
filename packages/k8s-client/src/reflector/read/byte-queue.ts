/** Bytes that arrive in chunks and are taken in pieces. A piece within one chunk is not copied. */
export class ByteQueue {
  #bytes: Buffer = Buffer.alloc(0)
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #at = 0

  push(chunk: Uint8Array): void {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
  }

  /** Returns the number of bytes that have arrived and were not taken. */
  get length(): number {
    return this.#bytes.length - this.#at + this.#waitingBytes
  }

  /** Takes the next `count` bytes; undefined if they have not arrived yet. */
  take(count: number): Buffer | undefined {
    const bytes = this.peek(count)
    if (bytes === undefined) return undefined
    this.#at += count
    return bytes.subarray(0, count)
  }

  /** Returns the bytes that have arrived, at least `count`, without taking them; undefined if there are fewer. */
  peek(count: number): Buffer | undefined {
    if (this.length < count) return undefined
    if (this.#bytes.length - this.#at < count) {
      const [first] = this.#waiting
      const isOne = this.#at === this.#bytes.length && this.#waiting.length === 1 && first !== undefined
      this.#bytes = isOne
        ? Buffer.from(first.buffer, first.byteOffset, first.length)
        : Buffer.concat([this.#bytes.subarray(this.#at), ...this.#waiting])
      this.#waiting = []
      this.#waitingBytes = 0
      this.#at = 0
    }
    return this.#bytes.subarray(this.#at)
  }
}
