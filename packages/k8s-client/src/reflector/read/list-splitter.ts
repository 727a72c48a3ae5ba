const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
/** Meaning of a byte outside of strings; a table, because every byte of a large list is looked up. */
const [QUOTES, OPENS, CLOSES] = [1, 2, 3]
const MEANINGS: Uint8Array = meaningsOf([
  [QUOTE, QUOTES],
  [OPEN_BRACE, OPENS],
  [OPEN_BRACKET, OPENS],
  [CLOSE_BRACE, CLOSES],
  [CLOSE_BRACKET, CLOSES],
])
const MAX_ITEM_BYTES = 64 * 1024 * 1024

/** Splits the JSON of a list into its items while it arrives. */
export interface ListSplitter {
  /**
   * Returns the JSON texts of the items that `chunk` completes.
   *
   * @throws Error if the array has anything but objects or arrays, with commas between them
   */
  push(chunk: Uint8Array): readonly string[]
  /**
   * Returns the list without its items, as JSON text.
   *
   * @throws Error if the list has not ended
   */
  envelope(): string
}

/** `outside`: around the items; `between`: inside the array; `inside`: within one item. */
type Place = 'outside' | 'between' | 'inside'

/** The tokens that may follow in the array. `first`: an item or its end; `item`: an item; `comma`: a comma or its end. */
type Expected = 'first' | 'item' | 'comma'

/** Returns whether a byte is white space in JSON. */
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/**
 * Creates a splitter for `{…, "items":[{…},{…}], …}`. A server that ignores `limit` sends hundreds of megabytes in one
 * response. Parsing them at once would block the process for seconds, and can exceed the maximum string length.
 */
export function createListSplitter(): ListSplitter {
  const decoder = new TextDecoder()
  const outside: string[] = []
  let place: Place = 'outside'
  let expected: Expected = 'first'
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** The last string directly inside the list object; it may be the key `items`. */
  let word = ''
  let isItemsKey = false
  let pieces: Uint8Array[] = []
  let pieceBytes = 0
  let hasEnded = false

  const keep = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return
    pieces.push(bytes)
    pieceBytes += bytes.length
    if (pieceBytes > MAX_ITEM_BYTES) throw new Error(`a list item is larger than ${MAX_ITEM_BYTES} bytes`)
  }
  const flush = (): string => {
    const text = decoder.decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))
    pieces = []
    pieceBytes = 0
    return text
  }

  /** Returns the position of the next item or of the end of the array. Anything else there would be lost silently. */
  const skipSeparators = (chunk: Uint8Array, from: number): number => {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if ((byte === OPEN_BRACE || byte === OPEN_BRACKET) && expected !== 'comma') return at
      if (byte === CLOSE_BRACKET && expected !== 'item') return at
      if (byte === COMMA && expected === 'comma') expected = 'item'
      else if (!isSpace(byte)) throw new Error('the list has something other than objects with commas between them')
    }
    return chunk.length
  }

  /** Scans the items array, which has by far the most bytes: a tight loop over local variables. */
  const pushItems = (chunk: Uint8Array, from: number, items: string[]): number => {
    const end = chunk.length
    let start = place === 'inside' ? from : -1
    let level = depth
    let inString = isInString
    let at = from
    while (at < end) {
      if (level === 2) {
        at = skipSeparators(chunk, at)
        if (at === end || chunk[at] === CLOSE_BRACKET) break
        start = at
        level = 3
        at += 1
        continue
      }
      if (inString) {
        while (at < end && chunk[at] !== QUOTE) at += chunk[at] === BACKSLASH ? 2 : 1
        if (at >= end) break
        inString = false
        at += 1
        continue
      }
      const meaning = MEANINGS[chunk[at] ?? 0]
      if (meaning === QUOTES) inString = true
      else if (meaning === OPENS) level += 1
      else if (meaning === CLOSES) {
        level -= 1
        if (level === 2) {
          keep(chunk.subarray(start, at + 1))
          items.push(flush())
          start = -1
          expected = 'comma'
        }
      }
      at += 1
    }
    if (start !== -1) keep(chunk.subarray(start))
    // The end of the array is read by `pushOutside`.
    place = level > 2 ? 'inside' : at < end ? 'outside' : 'between'
    depth = level
    isInString = inString
    // If the chunk ends after a backslash, the first byte of the next chunk is escaped.
    isEscaped = at > end
    isItemsKey = false
    return Math.min(at, end)
  }

  const pushOutside = (chunk: Uint8Array, from: number): number => {
    let at = from
    for (; at < chunk.length && place === 'outside'; at++) {
      const byte = chunk[at] ?? 0
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) {
          isInString = false
          if (depth === 1) isItemsKey = word === 'items'
        } else if (depth === 1 && word.length < 6) word += String.fromCharCode(byte)
        continue
      }
      if (byte === QUOTE) {
        isInString = true
        word = ''
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth += 1
        if (byte === OPEN_BRACKET && depth === 2 && isItemsKey) {
          place = 'between'
          expected = 'first'
        }
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1
        if (depth === 0) hasEnded = true
      } else if (byte === COMMA && depth === 1) isItemsKey = false
    }
    keep(chunk.subarray(from, at))
    if (place === 'between') outside.push(flush())
    return at
  }

  return {
    push(chunk) {
      const items: string[] = []
      let at = 0
      while (at < chunk.length) {
        if (place === 'outside') at = pushOutside(chunk, at)
        else if (isEscaped) {
          // Only within an item: the byte after the backslash belongs to a string.
          isEscaped = false
          keep(chunk.subarray(at, at + 1))
          at += 1
        } else at = pushItems(chunk, at, items)
      }
      return items
    },
    envelope() {
      if (!hasEnded) throw new Error('the list ended early')
      if (pieces.length > 0) outside.push(flush())
      return outside.join('')
    },
  }
}

function meaningsOf(entries: readonly (readonly [byte: number, meaning: number])[]): Uint8Array {
  const meanings = new Uint8Array(256)
  for (const [byte, meaning] of entries) meanings[byte] = meaning
  return meanings
}
