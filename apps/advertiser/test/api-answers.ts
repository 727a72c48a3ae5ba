import type { ApiResponse } from '@berth/types'

/** An answer with a JSON body, for `TestCluster.intercept`. */
export function jsonAnswer(status: number, body: object): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: bytes(JSON.stringify(body)) }
}

/**
 * An answer by which the API server refuses a call.
 *
 * @param reason - `metav1.StatusReason`, for example `Forbidden`.
 */
export function refused(code: number, reason: string, message = reason): ApiResponse {
  return jsonAnswer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message })
}

async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text)
}
