import { errorText } from '@berth/text/error-text'
import type { ApiRequest } from '@berth/types'
import { TransportError } from '../errors/transport-error.ts'
import { ProxyError } from './proxy-error.ts'

/** Errors that only occur while connecting. Lost routes are not among them: a route can also be lost after sending. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EADDRNOTAVAIL',
])
const UNTRUSTED =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH|INVALID_CA)/

/** A request that failed. */
export interface FailedRequest {
  readonly server: string
  readonly request: Pick<ApiRequest, 'method' | 'path' | 'signal'>
  /** True if there was a connection, so that the server may have acted on the request. */
  readonly isSent: boolean
}

/**
 * Converts the error of a request to a {@link TransportError}, with a code and a hint.
 *
 * @returns The signal's reason if the caller aborted the request; `error` itself if it is a TransportError already.
 */
export function toTransportError(error: unknown, failed: FailedRequest): Error {
  const { server, request, isSent } = failed
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

/** Returns whether a request was aborted because its deadline passed. */
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
  // Node's advice is about Node's own flags, which users of this program cannot set.
  return message === '' ? code : message.replace(/; if the root CA is installed locally.*$/, '')
}
