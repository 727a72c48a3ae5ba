/** Node annotation that names the installation that wrote the record, and since when: a JSON object. */
export const OWNER_ANNOTATION = 'berth.dev/advertised-by'

/**
 * The pattern of an installation's name: the namespace and the name of its Lease. Its processes compete for that Lease,
 * so that one of them writes at a time.
 */
export const OWNER_PATTERN: RegExp = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** The installation that owns the record on a node. */
export interface Owner {
  /** `namespace/name` of its Lease. */
  readonly owner: string
  /** When it became the owner of this node's record, RFC 3339. */
  readonly since: string
}

/**
 * Parses the annotation {@link OWNER_ANNOTATION}.
 *
 * @returns `unreadable` when Berth did not write the text; undefined when there is no annotation.
 */
export function readOwner(text: string | undefined): Owner | 'unreadable' | undefined {
  if (text === undefined) return undefined
  try {
    const { owner, since } = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>
    if (typeof owner !== 'string' || !OWNER_PATTERN.test(owner) || typeof since !== 'string') return 'unreadable'
    return { owner, since }
  } catch {
    return 'unreadable'
  }
}

/** Formats the value of the annotation. The admission policy of the chart compares this text. */
export function writeOwner({ owner, since }: Owner): string {
  return JSON.stringify({ owner, since })
}
