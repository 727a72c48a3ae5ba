const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const LAST_ASCII = 0x7e
/** Strings that are joined at a time. A string of thousands of names would be large. */
export const PLAIN_BATCH = 512

/**
 * Writes JSON text into one buffer, which grows. A response names thousands of nodes, and a string of it would be built,
 * flattened and encoded, which takes several times its size.
 */
export class JsonBytes {
  #bytes: Buffer
  #length = 0

  /** @param bytes - The first buffer. Its contents are overwritten. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The buffer that was written last. Writing more may replace it. */
  get buffer(): Buffer {
    return this.#bytes
  }

  /** Returns the text so far, as a part of {@link JsonBytes.buffer}. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Writes text that is JSON already. */
  raw(json: string): void {
    this.#reserve(Buffer.byteLength(json))
    this.#length += this.#bytes.write(json, this.#length, 'utf8')
  }

  /** Writes text that is JSON already and encoded. */
  encoded(json: Uint8Array): void {
    this.#reserve(json.length)
    const bytes = this.#bytes
    let at = this.#length
    for (let i = 0; i < json.length; i++) bytes[at++] = json[i] ?? 0
    this.#length = at
  }

  /** Writes a string with its quotes. */
  text(value: string): void {
    this.#reserve(value.length + 2)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = QUOTE
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i)
      if (code < SPACE || code > LAST_ASCII || code === QUOTE || code === BACKSLASH) {
        this.raw(JSON.stringify(value))
        return
      }
      bytes[at++] = code
    }
    bytes[at++] = QUOTE
    this.#length = at
  }

  /** Writes a list of strings. */
  texts(values: readonly string[]): void {
    this.raw('[')
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.encoded(COMMA)
      this.text(values[i] ?? '')
    }
    this.raw(']')
  }

  /**
   * Writes strings with their quotes and `between` between them.
   *
   * @param values - Strings in which JSON escapes nothing.
   * @param between - JSON text.
   */
  plainTexts(values: readonly string[], between: string): void {
    const separator = `"${between}"`
    for (let i = 0; i < values.length; i += PLAIN_BATCH) {
      this.raw(i === 0 ? '"' : separator)
      this.raw(values.slice(i, i + PLAIN_BATCH).join(separator))
    }
    if (values.length > 0) this.raw('"')
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

const COMMA = Buffer.from(',')
