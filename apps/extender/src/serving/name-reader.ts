const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const CLOSING_BRACKET = 0x5d
const SPACE = 0x20
const LAST_ASCII = 0x7e

/** The names of a JSON list. */
export interface NameList {
  /** Without duplicates, and printable ASCII without characters that JSON escapes. */
  readonly names: readonly string[]
  /** Position after the closing bracket. */
  readonly end: number
}

/** Reads a list of names that follows an opening bracket. */
export interface NameReader {
  /**
   * Reads the list whose first name begins at `start`.
   *
   * @returns Undefined for a list with duplicates, escapes, spaces between names, characters beyond ASCII or names that
   * are longer than the name of a node can be, and for one that is not a list of strings.
   */
  read(bytes: Buffer, start: number): NameList | undefined
  /**
   * Returns the latest list that was read, and where it begins, when the bytes before `end` are the same list with its closing bracket;
   * otherwise undefined.
   */
  again(bytes: Buffer, end: number): { readonly names: readonly string[]; readonly start: number } | undefined
  /** Returns the number of names that are kept. */
  keptCount(): number
}

/** Names that are kept besides those of the latest list. */
const SPARE_NAMES = 4_096
const MAX_NAMES = 65_536
/** Of the name of a node, at most. Longer names would take any amount of memory, and time for comparing them. */
const MAX_NAME_LENGTH = 253
/** Longer lists are not compared with the next one, because their bytes are kept for that. */
const MAX_KEPT_BYTES = 1024 * 1024
/** Of the kept names together: 20,000 of the greatest length. */
const MAX_TEXT_BYTES = 20_000 * (MAX_NAME_LENGTH + 1)
/** A name that is not found after as many steps is not looked up: many names with one hash take time. */
const MAX_STEPS = 64

/**
 * Creates a reader of node names. kube-scheduler sends the same thousands of names in each call, so the reader keeps the
 * strings that it made: a call then costs neither their memory nor the garbage collection of it. Most names also follow
 * the same name as in an earlier call, so the reader compares a name with that one before it looks for it.
 *
 * @param seed - Makes the hashes of names unpredictable.
 */
export function createNameReader(seed: number): NameReader {
  let names: string[] = []
  /** By hash: one more than the index of a name, or 0. */
  let slots = new Int32Array(2_048)
  /** By index of a name: the latest list that had it. Doubles, because 32 bits count the lists of a few weeks only. */
  let latestList = new Float64Array(1_024)
  /** By index of a name: the index of the name that followed it last. At first, the one that was added after it. */
  let nextIndex = new Int32Array(1_024)
  /** The kept names by index, each with a quote after it. */
  let text = Buffer.allocUnsafeSlow(16 * 1_024)
  /** By index of a name: where it begins in the text. */
  let textStart = new Int32Array(1_024)
  let textLength = 0
  let list = 0
  let latestCount = 0
  const latest = createLatestList()

  const rehash = (capacity: number): void => {
    slots = new Int32Array(capacity * 2)
    const former = { latestList, nextIndex, textStart }
    latestList = new Float64Array(capacity)
    nextIndex = new Int32Array(capacity)
    textStart = new Int32Array(capacity)
    latestList.set(former.latestList)
    nextIndex.set(former.nextIndex)
    textStart.set(former.textStart)
    names.forEach((name, index) => {
      let hash = seed
      for (let i = 0; i < name.length; i++) hash = mix(hash, name.charCodeAt(i))
      let slot = hash & (slots.length - 1)
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
      slots[slot] = index + 1
    })
  }
  const forget = (): void => {
    names = []
    slots.fill(0)
    latestList.fill(0)
    textLength = 0
    list = 0
  }
  /** Returns the index of the name, or -1 when it cannot be kept. */
  const indexOf = (bytes: Buffer, start: number, end: number, hash: number): number => {
    let slot = hash & (slots.length - 1)
    for (let step = 0; step < MAX_STEPS; step++) {
      const index = (slots[slot] ?? 0) - 1
      if (index < 0) return add(bytes, start, end, slot)
      if (endOf(index, bytes, start) === end) return index
      slot = (slot + 1) & (slots.length - 1)
    }
    return -1
  }
  const add = (bytes: Buffer, start: number, end: number, slot: number): number => {
    const index = names.length
    const textEnd = textLength + end + 1 - start
    if (index === MAX_NAMES || textEnd > MAX_TEXT_BYTES) return -1
    if (textEnd > text.length) {
      const former = text
      text = Buffer.allocUnsafeSlow(Math.max(textEnd, text.length * 2))
      former.copy(text, 0, 0, textLength)
    }
    names.push(bytes.toString('latin1', start, end))
    bytes.copy(text, textLength, start, end + 1)
    textStart[index] = textLength
    nextIndex[index] = index + 1
    textLength = textEnd
    slots[slot] = index + 1
    if (names.length === latestList.length) rehash(latestList.length * 2)
    return index
  }
  /** Returns the position of the quote after the name when the kept name begins at `start`; otherwise -1. */
  const endOf = (index: number, bytes: Buffer, start: number): number => {
    let at = start
    let kept = textStart[index] ?? 0
    let byte = text[kept]
    while (bytes[at] === byte) {
      if (byte === QUOTE) return at
      at += 1
      byte = text[++kept]
    }
    return -1
  }

  return {
    read(bytes, start) {
      if (names.length > latestCount + SPARE_NAMES) forget()
      list += 1
      let at = start
      if (bytes[at] === CLOSING_BRACKET) return { names: [], end: at + 1 }
      const found: string[] = []
      // The list is usually as long as the latest one, and an array that grows leaves its former memory behind.
      found.length = latestCount
      let count = 0
      let index = -1
      for (;;) {
        if (bytes[at] !== QUOTE) return undefined
        const first = at + 1
        const expected = index < 0 ? 0 : (nextIndex[index] ?? 0)
        at = expected < names.length ? endOf(expected, bytes, first) : -1
        if (at >= 0) index = expected
        else {
          const before = index
          at = first
          let hash = seed
          for (let byte = bytes[at] ?? 0; byte !== QUOTE; byte = bytes[++at] ?? 0) {
            if (byte < SPACE || byte > LAST_ASCII || byte === BACKSLASH) return undefined
            hash = mix(hash, byte)
          }
          if (at - first > MAX_NAME_LENGTH) return undefined
          index = indexOf(bytes, first, at, hash)
          if (index < 0) return undefined
          if (before >= 0) nextIndex[before] = index
        }
        if (latestList[index] === list) return undefined
        latestList[index] = list
        found[count++] = names[index] ?? ''
        const next = bytes[at + 1]
        at += 2
        if (next === CLOSING_BRACKET) break
        if (next !== COMMA) return undefined
      }
      found.length = count
      latestCount = count
      latest.keep(found, bytes.subarray(start, at))
      return { names: found, end: at }
    },
    again: latest.before,
    keptCount: () => names.length,
  }
}

/** Creates the memory of one list and its bytes. */
function createLatestList(): {
  readonly keep: (names: readonly string[], list: Buffer) => void
  readonly before: NameReader['again']
} {
  let bytes = Buffer.alloc(0)
  let length = 0
  let latest: readonly string[] = []
  return {
    keep(names, list) {
      length = list.length > MAX_KEPT_BYTES ? 0 : list.length
      if (length === 0) return
      if (bytes.length < length) bytes = Buffer.allocUnsafeSlow(length)
      list.copy(bytes)
      latest = names
    },
    before(body, end) {
      const start = end - length
      if (length === 0 || start < 0 || body.compare(bytes, 0, length, start, end) !== 0) return undefined
      return { names: latest, start }
    },
  }
}

function mix(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01_00_01_93)
}
