/** The part of an audit event (`audit.k8s.io/v1`, level RequestResponse) that the judge reads. */
export interface AuditRecord {
  readonly stage: string
  readonly verb: string
  readonly requestURI: string
  readonly userAgent: string
  readonly objectRef?: AuditedObject | object
  readonly responseStatus: { readonly code?: number } | object
  readonly requestObject?: unknown
  readonly responseObject?: unknown
  /** RFC 3339. Default: {@link AuditRecord.stageTimestamp}. */
  readonly requestReceivedTimestamp?: string
  /** RFC 3339. */
  readonly stageTimestamp: string
}

/** The object of a request. */
export interface AuditedObject {
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

/** A write that the API server accepted. */
export interface Write {
  readonly verb: string
  readonly target: AuditedObject
  readonly userAgent: string
  /** When the API server received the request, and when it had answered. The write took effect between both. */
  readonly receivedMs: number
  readonly atMs: number
  readonly sent: unknown
  readonly returned: unknown
}

const WRITE_VERBS: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

/** Returns the write of an audit event; undefined for reads, refused requests and dry runs. */
export function writeOf(record: AuditRecord): Write | undefined {
  const { code = 0 } = record.responseStatus as { readonly code?: number }
  const target = record.objectRef as AuditedObject | undefined
  if (record.stage !== 'ResponseComplete' || target === undefined || code < 200 || code > 299) return undefined
  if (!WRITE_VERBS.has(record.verb) || /[?&]dryRun=/.test(record.requestURI)) return undefined
  return {
    verb: record.verb,
    target,
    userAgent: record.userAgent,
    receivedMs: Date.parse(record.requestReceivedTimestamp ?? record.stageTimestamp),
    atMs: Date.parse(record.stageTimestamp),
    sent: record.requestObject,
    returned: record.responseObject,
  }
}
