import { isRecord } from '@berth/types'

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c] as const
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const
const ITEMS_KEY = '"items"'

/**
 * Parses a JSON object with the key `items`, item by item: a string cannot hold more than 512 MiB, and the snapshot of a
 * large cluster has more.
 *
 * @param chunks - The UTF-8 text. A chunk may end within a character.
 * @returns The items; undefined when the object has no list of that name.
 * @throws SyntaxError for text that is not JSON, or that ends early.
 */
export async function parseJsonList(chunks: AsyncIterable<Uint8Array>): Promise<readonly unknown[] | undefined> {
  const parser = new JsonListParser()
  for await (const chunk of chunks) parser.push(chunk)
  return parser.end()
}

/** Cuts the text into its items and the rest, such as `{"kind":"List","items":[]}`, which is parsed at the end. */
class JsonListParser {
  readonly #items: unknown[] = []
  readonly #rest: Uint8Array[] = []
  #item: Uint8Array[] = []
  /** The last string directly in the object, with its quotes: the key of the value that follows. */
  #key = ''
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isInItems = false

  push(chunk: Uint8Array): void {
    /** Where the bytes begin that are not yet collected. */
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (this.#isInString) this.#readInString(byte)
      else if (byte === QUOTE) {
        this.#isInString = true
        this.#key = '"'
      } else if (byte === COMMA && this.#isInItems && this.#depth === 2) {
        this.#endItem(chunk.subarray(from, at))
        from = at + 1
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++this.#depth !== 2 || byte !== OPEN_BRACKET || this.#key !== ITEMS_KEY) continue
        this.#collect(chunk.subarray(from, at + 1))
        from = at + 1
        this.#isInItems = true
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (--this.#depth !== 1 || !this.#isInItems) continue
        this.#endLastItem(chunk.subarray(from, at))
        from = at
      }
    }
    this.#collect(chunk.subarray(from))
  }

  end(): readonly unknown[] | undefined {
    const rest: unknown = JSON.parse(textOf(this.#rest))
    return isRecord(rest) && Array.isArray(rest['items']) ? this.#items : undefined
  }

  #readInString(byte: number): void {
    if (this.#depth === 1 && this.#key.length < ITEMS_KEY.length + 1) this.#key += String.fromCharCode(byte)
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
  }

  #collect(bytes: Uint8Array): void {
    if (bytes.length > 0) (this.#isInItems ? this.#item : this.#rest).push(bytes)
  }

  #endItem(bytes: Uint8Array): void {
    const text = textOf([...this.#item, bytes])
    this.#item = []
    this.#items.push(JSON.parse(text))
  }

  #endLastItem(bytes: Uint8Array): void {
    // An empty list has no item before its end.
    if (this.#items.length > 0 || textOf([...this.#item, bytes]).trim() !== '') this.#endItem(bytes)
    this.#item = []
    this.#isInItems = false
  }
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8')
}
