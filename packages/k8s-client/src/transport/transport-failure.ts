import { errorText } from '@berth/text/error-text'
import type { ApiRequest } from '@berth/types'
import { TransportError } from '../errors/transport-error.ts'
import { ProxyError } from './proxy-error.ts'

/** What can only happen to who connects. A route may also get lost under a connection that has carried a request. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EADDRNOTAVAIL',
])
const UNTRUSTED =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH|INVALID_CA)/

/** Which exchange failed, and how far it had come. */
export interface FailedExchange {
  readonly server: string
  readonly request: Pick<ApiRequest, 'method' | 'path' | 'signal'>
  /** Whether a connection was there, so that the server may have acted on the request. */
  readonly isSent: boolean
}

/**
 * Says what a broken exchange means.
 *
 * @returns The signal's reason when the exchange was aborted by its caller; `error` itself when it is a
 *   TransportError already.
 */
export function transportFailure(error: unknown, exchange: FailedExchange): Error {
  const { server, request, isSent } = exchange
  const { signal } = request
  if (signal?.aborted === true && signal.reason instanceof Error) return signal.reason
  if (error instanceof TransportError) return error
  const code = codeOf(error)
  const reason = reasonOf(error, code)
  const what = `${request.method} ${server}${request.path.split('?', 1)[0] ?? ''}: ${reason}`
  if (UNTRUSTED.test(code)) {
    return new TransportError(what, {
      code: 'BERTH_API_UNTRUSTED',
      retryable: false,
      delivered: 'no',
      cause: error,
      hint:
        code === 'CERT_HAS_EXPIRED'
          ? `Renew the certificate of the API server at ${server}, and check the clock of this machine.`
          : 'Check certificate-authority-data and tls-server-name of the cluster in the kubeconfig.',
    })
  }
  if (!isSent || NOT_CONNECTED.has(code)) {
    return new TransportError(what, {
      code: 'BERTH_API_UNREACHABLE',
      delivered: 'no',
      cause: error,
      hint:
        error instanceof ProxyError
          ? 'Check proxy-url of the cluster in the kubeconfig, and what the proxy allows.'
          : `Check that the API server at ${server} runs and can be reached from here.`,
    })
  }
  return new TransportError(what, {
    code: 'BERTH_API_BROKEN',
    delivered: 'unknown',
    cause: error,
    hint: `Check that ${server} is an API server, and that https or http is right; it may also have restarted.`,
  })
}

/** Whether an exchange was aborted because nothing came in time. */
export function isTimedOut(signal: AbortSignal | undefined): boolean {
  const reason: unknown = signal?.aborted === true ? signal.reason : undefined
  return reason instanceof TransportError && reason.code === 'BERTH_API_TIMEOUT'
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

function reasonOf(error: unknown, code: string): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const message = errorText(first)
  // Node's advice to its own users is none for ours.
  return message === '' ? code : message.replace(/; if the root CA is installed locally.*$/, '')
}
