const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const LAST_ASCII = 0x7e

/** Node documents it only as `write` with an encoding, which takes twice as long. It writes nothing beyond the end. */
interface Latin1Writer {
  latin1Write(text: string, offset: number): number
}

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

  /** Writes ASCII text that is JSON already. Unlike a string of all names, it leaves no garbage. */
  ascii(json: string): void {
    this.#reserve(json.length)
    this.#length += (this.#bytes as unknown as Latin1Writer).latin1Write(json, this.#length)
  }

  /**
   * Writes strings with their quotes and `between` between them.
   *
   * @param values - ASCII strings in which JSON escapes nothing.
   * @param between - JSON text.
   */
  plainTexts(values: readonly string[], between: string): void {
    const separator = `"${between}"`
    const encoded = Buffer.from(separator)
    const isAscii = encoded.length === separator.length
    for (let i = 0; i < values.length; i++) {
      if (i === 0) this.ascii('"')
      else if (isAscii) this.ascii(separator)
      else this.encoded(encoded)
      this.ascii(values[i] ?? '')
    }
    if (values.length > 0) this.ascii('"')
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
