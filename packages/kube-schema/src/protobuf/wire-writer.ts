const FIRST_BYTES = 1_024
const TWO_32 = 4_294_967_296

/**
 * Writes the wire format of protobuf from the end to the start, as Go's generated code does: the length of a nested
 * message is known once its content is written.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #at = FIRST_BYTES

  /** Returns the number of bytes written so far. */
  get size(): number {
    return this.#bytes.length - this.#at
  }

  /** Discards what was written. */
  clear(): void {
    this.#at = this.#bytes.length
  }

  /** Returns a copy of what was written, and starts again with nothing. */
  finish(): Buffer {
    const bytes = Buffer.from(this.#bytes.subarray(this.#at))
    this.clear()
    return bytes
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#at -= bytes.length
    this.#bytes.set(bytes, this.#at)
  }

  text(text: string): void {
    const length = Buffer.byteLength(text)
    this.#reserve(length)
    this.#at -= length
    this.#bytes.write(text, this.#at, length, length === text.length ? 'latin1' : 'utf8')
  }

  double(value: number): void {
    this.#reserve(8)
    this.#at -= 8
    this.#bytes.writeDoubleLE(value, this.#at)
  }

  /** Writes a number of at most 64 bits; a negative one takes ten bytes. */
  varint(value: number): void {
    if (value < 0 || value >= TWO_32) return this.#bigVarint(BigInt.asUintN(64, BigInt(value)))
    let size = 1
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) size += 1
    this.#reserve(size)
    this.#at -= size
    let rest = value
    for (let at = this.#at; ; at++) {
      if (rest < 0x80) {
        this.#bytes[at] = rest
        return
      }
      this.#bytes[at] = (rest & 0x7f) | 0x80
      rest = Math.floor(rest / 128)
    }
  }

  #bigVarint(value: bigint): void {
    const bytes: number[] = []
    let rest = value
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    bytes.push(Number(rest))
    this.raw(Uint8Array.from(bytes))
  }

  #reserve(count: number): void {
    if (this.#at >= count) return
    const written = this.#bytes.subarray(this.#at)
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, written.length + count))
    larger.set(written, larger.length - written.length)
    this.#bytes = larger
    this.#at = larger.length - written.length
  }
}
