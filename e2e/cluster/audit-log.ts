/** One request in the audit log, with the fields that checks read. */
export interface AuditedRequest {
  readonly auditID: string
  readonly verb: string
  readonly userAgent?: string
  readonly user: { readonly username: string; readonly groups?: readonly string[] }
  readonly objectRef?: {
    readonly resource?: string
    readonly subresource?: string
    readonly apiGroup?: string
    readonly name?: string
  }
  readonly requestURI: string
  readonly responseStatus?: { readonly code?: number }
  readonly requestReceivedTimestamp: string
}

/** Returns the audited requests in the log of an API server, which has other lines, too. */
export function parseAuditLog(text: string): readonly AuditedRequest[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{"kind":"Event","apiVersion":"audit.k8s.io/v1"')) return []
    return JSON.parse(line) as AuditedRequest
  })
}
