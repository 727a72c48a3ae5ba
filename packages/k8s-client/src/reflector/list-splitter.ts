const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const MAX_ITEM_BYTES = 64 * 1024 * 1024

/** Cuts the JSON of a list into its items while it arrives. */
export interface ListSplitter {
  /** The texts of the items that `chunk` completes. */
  push(chunk: Uint8Array): readonly string[]
  /**
   * The list without its items, as JSON text.
   *
   * @throws Error when the list has not ended
   */
  envelope(): string
}

/** `outside`: around the items; `between`: inside the array; `inside`: within one item. */
type Place = 'outside' | 'between' | 'inside'

/**
 * Makes a splitter for `{…, "items":[{…},{…}], …}`. A server that ignores `limit` answers with hundreds of megabytes
 * at once; parsing that in one go would block the process for seconds and can exceed the longest possible string.
 */
export function createListSplitter(): ListSplitter {
  const decoder = new TextDecoder()
  const outside: string[] = []
  let place: Place = 'outside'
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** The last string seen directly inside the list object; the candidate for the key `items`. */
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

  return {
    push(chunk) {
      const items: string[] = []
      let start = 0
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) {
            isInString = false
            if (place === 'outside' && depth === 1) isItemsKey = word === 'items'
          } else if (place === 'outside' && depth === 1 && word.length < 6) word += String.fromCharCode(byte ?? 0)
          continue
        }
        switch (byte ?? 0) {
          case QUOTE:
            isInString = true
            word = ''
            break
          case OPEN_BRACE:
            if (place === 'between') {
              place = 'inside'
              start = at
            }
            depth += 1
            break
          case CLOSE_BRACE:
            depth -= 1
            if (place === 'inside' && depth === 2) {
              keep(chunk.subarray(start, at + 1))
              items.push(flush())
              place = 'between'
              start = at + 1
            } else if (depth === 0) hasEnded = true
            break
          case OPEN_BRACKET:
            depth += 1
            if (place === 'outside' && depth === 2 && isItemsKey) {
              keep(chunk.subarray(start, at + 1))
              outside.push(flush())
              place = 'between'
              start = at + 1
            }
            break
          case CLOSE_BRACKET:
            depth -= 1
            if (place === 'between' && depth === 1) {
              place = 'outside'
              isItemsKey = false
              start = at
            }
            break
          case COMMA:
            if (depth === 1) isItemsKey = false
            break
          default:
        }
      }
      if (place !== 'between') keep(chunk.subarray(start))
      return items
    },
    envelope() {
      if (!hasEnded) throw new Error('the list broke off')
      if (pieces.length > 0) outside.push(flush())
      return outside.join('')
    },
  }
}
