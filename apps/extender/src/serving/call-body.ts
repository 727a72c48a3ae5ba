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
    const at = bytes.lastIndexOf(NODE_NAMES)
    const list = at < 0 || bytes[at - 1] === BACKSLASH ? undefined : reader.read(bytes, at + NODE_NAMES.length)
    if (list !== undefined && bytes[list.end] === CLOSING_BRACE && list.end + 1 === bytes.length) {
      // The brace closes the whole body, so that the list is the value of a field of it, and its last one.
      const rest = bytes.toString('utf8', 0, at + NODE_NAMES.length - 1)
      return { value: JSON.parse(`${rest}null}`) as unknown, names: list.names }
    }
    return { value: JSON.parse(bytes.toString('utf8')) as unknown, names: undefined }
  } catch {
    return { value: undefined, names: undefined }
  }
}
