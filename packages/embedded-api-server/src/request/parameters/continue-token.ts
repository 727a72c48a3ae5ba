import { posix } from 'node:path'
import { badRequest } from '../../schema/status/api-errors.ts'

/** The position at which a paged list continues. The next page is read from the history; the token holds no objects. */
export interface ContinueToken {
  /** The revision of all pages; -1: the current one. */
  readonly revision: number
  /** The first possible key of the next page, relative to the collection or the namespace. */
  readonly start: string
}

const VERSION = 'meta.k8s.io/v1'

/** Encodes a token as upstream does. */
export function encodeContinueToken({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString('base64url')
}

/**
 * Decodes the `continue` parameter.
 *
 * @see k8s.io/apiserver pkg/storage/continue.go (v0.36)
 * @throws BERTH_SIMULATOR_REFUSED (400)
 */
export function decodeContinueToken(text: string): ContinueToken {
  const { v, rv, start } = contentOf(text)
  if (v !== VERSION) throw notValid(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`)
  if (typeof rv !== 'number' || rv === 0) {
    throw notValid(`incorrect encoded start resourceVersion (version ${VERSION})`)
  }
  if (typeof start !== 'string' || start === '') throw notValid(`encoded start key empty (version ${VERSION})`)
  const rooted = start.startsWith('/') ? start : `/${start}`
  // A key must not point outside its collection.
  if (rooted.endsWith('/') || posix.normalize(rooted) !== rooted) throw notValid(start)
  return { revision: rv, start: rooted.slice(1) }
}

function contentOf(text: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  const foreign = text.search(/[^A-Za-z0-9_-]/)
  const wrong = foreign >= 0 ? foreign : text.length % 4 === 1 ? text.length - 1 : undefined
  if (wrong !== undefined) throw notValid(`illegal base64 data at input byte ${wrong}`)
  const bytes = Buffer.from(text, 'base64url')
  try {
    return Object(JSON.parse(bytes.toString())) as ReturnType<typeof contentOf>
  } catch {
    const [first = 0] = bytes
    // Go's message names the first byte.
    const shown =
      first >= 0x20 && first < 0x7f ? String.fromCharCode(first) : `\\u00${first.toString(16).padStart(2, '0')}`
    throw notValid(`invalid character '${shown}' looking for beginning of value`)
  }
}

function notValid(why: string): ReturnType<typeof badRequest> {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`)
}
