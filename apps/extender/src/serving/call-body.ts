import type { NameReader } from './name-reader.ts'

/** The parsed body of a call. */
export interface CallBody {
  /** The JSON value; undefined when the body is not JSON. */
  readonly value: unknown
  /** The value of NodeNames, when it was read apart. `value` has null there. */
  readonly names: readonly string[] | undefined
}

const NODE_NAMES = Buffer.from('"NodeNames":[')
const BACKSLASH = 0x5c
const CLOSING_BRACE = 0x7d

/**
 * Parses the body of a call. Node names make up most of it, and `JSON.parse` would create each of them again. kube-scheduler
 * sends them as the last field, so a list of plain names before the last brace is read apart; anything else is left to
 * `JSON.parse`.
 */
export function parseCallBody(bytes: Buffer, reader: NameReader): CallBody {
  try {
    const list = findNames(bytes, reader)
    if (list === undefined) return { value: JSON.parse(bytes.toString('utf8')) as unknown, names: undefined }
    const rest = bytes.toString('utf8', 0, list.start - 1)
    return { value: JSON.parse(`${rest}null}`) as unknown, names: list.names }
  } catch {
    return { value: undefined, names: undefined }
  }
}

/** The names of a call. */
interface FoundNames {
  readonly names: readonly string[]
  /** Position after the opening bracket. */
  readonly start: number
}

/** Finds a list of plain names that is the value of the last field of the whole body. */
function findNames(bytes: Buffer, reader: NameReader): FoundNames | undefined {
  // The brace closes the whole body, so that the list is the value of a field of it, and its last one.
  const brace = bytes.length - 1
  if (bytes[brace] !== CLOSING_BRACE) return undefined
  const same = reader.again(bytes, brace)
  if (same !== undefined && isFieldBefore(bytes, same.start)) return same
  const start = bytes.lastIndexOf(NODE_NAMES) + NODE_NAMES.length
  if (!isFieldBefore(bytes, start)) return undefined
  const list = reader.read(bytes, start)
  return list?.end === brace ? { names: list.names, start } : undefined
}

/** Returns whether the key of the names ends at a position. Quotes with a backslash are part of another key. */
function isFieldBefore(bytes: Buffer, end: number): boolean {
  const start = end - NODE_NAMES.length
  return (
    start >= 0 && bytes.compare(NODE_NAMES, 0, NODE_NAMES.length, start, end) === 0 && bytes[start - 1] !== BACKSLASH
  )
}
