import { readFileSync } from 'node:fs'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, type AgentOptions, request as httpsRequest } from 'node:https'
import { getCACertificates } from 'node:tls'
import { ConfigError } from '@berth/process/errors'
import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import type { Logger } from '@berth/types'
import { ExtenderError } from '../errors.ts'
import type { ExtenderEntry, ExtenderTls } from '@berth/scheduler-config'

/** HTTP transport to one extender over keep-alive connections. */
export interface ExtenderTransport extends Disposable {
  /**
   * Posts JSON and returns the body of a response with status 200.
   *
   * @throws ExtenderError BERTH_SCHEDULER_EXTENDER_CALL for any other status, a timeout, a response that is too large,
   * or a call that was withheld.
   */
  post(verb: string, body: string, call: ExtenderCall): Promise<string>
}

/** Options of one call to an extender. */
export interface ExtenderCall {
  readonly signal: AbortSignal
  /** Called once there is a connection, right before the call is sent. False withholds the call. Default: always true. */
  readonly mayStart?: () => boolean
}

/** Maximum size of a response. Whole nodes of a large cluster are tens of megabytes. */
const MAX_RESPONSE_BYTES = 128 * 1024 * 1024
/** Longest timeout of Node.js: a longer one would be over at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Why a call was withheld. */
export const NOT_LEADING = 'not sent: this replica is no longer the leader'

type Connection = Pick<ExtenderEntry, 'urlPrefix' | 'tlsConfig'>

/**
 * Creates the transport to one extender. Certificates are read now, and again after a call that failed, so that a
 * rotated certificate is used without a restart. The certificate of an https extender is verified against the configured
 * CA, else against the roots of the system; only `tlsConfig.insecure` skips this. Upstream (v1.36, `scheduler/extender.go`)
 * also skips it for `enableHTTPS` without a CA.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_EXTENDER_TLS when a certificate cannot be read.
 */
export function createExtenderTransport(entry: Connection, timeoutMs: number, log: Logger): ExtenderTransport {
  const prefix = entry.urlPrefix.replace(/\/+$/, '')
  const shownPrefix = hideUrlCredentials(prefix)
  const isHttps = /^https:/i.test(prefix)
  if (isHttps && entry.tlsConfig?.insecure === true)
    log.warn({ extender: shownPrefix }, 'The certificate of this extender is not verified: remove tlsConfig.insecure')
  const makeAgent = (): HttpAgent | HttpsAgent =>
    isHttps ? new HttpsAgent({ keepAlive: true, ...tlsOptions(entry) }) : new HttpAgent({ keepAlive: true })
  let agent = makeAgent()

  /** Opens new connections for later calls. Calls in flight keep theirs. */
  const recreateAgent = (): void => {
    closeIdleSockets(agent)
    try {
      agent = makeAgent()
    } catch {
      // A file may be half-written during a rotation. The next failed call reads it again.
      agent = isHttps ? new HttpsAgent() : new HttpAgent()
    }
  }

  return {
    async post(verb, body, { signal, mayStart = () => true }) {
      const url = `${prefix}/${verb}`
      try {
        return await postRequest(url, {
          body,
          agent,
          mayStart,
          signal: AbortSignal.any([signal, AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMEOUT_MS))]),
        })
      } catch (error) {
        if (!(error instanceof StatusError || error instanceof WithheldError)) recreateAgent()
        throw callError(`${shownPrefix}/${verb}`, verb, failureText(error, timeoutMs), error)
      }
    },
    [Symbol.dispose]() {
      agent.destroy()
    },
  }
}

/** Returns the error of a call that failed. */
export function callError(shownUrl: string, verb: string, reason: string, cause: unknown): ExtenderError {
  return new ExtenderError(`failed ${verb} with extender at URL ${shownUrl}: ${reason}`, {
    code: 'BERTH_SCHEDULER_EXTENDER_CALL',
    retryable: true,
    cause,
  })
}

/** Closes the connections without a call, and each of the others when its call ends. */
function closeIdleSockets(agent: HttpAgent): void {
  agent.maxFreeSockets = 0
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
}

/** The extender responded with another status than 200. */
export class StatusError extends Error {}
/** The call was not sent. */
export class WithheldError extends Error {}

/**
 * Returns whether the response to a call was lost: the extender may have received the call, and may still act on it.
 */
export function isResponseLost(error: unknown): boolean {
  if (!(error instanceof ExtenderError) || error.code !== 'BERTH_SCHEDULER_EXTENDER_CALL') return false
  const { cause } = error
  const isRefused = cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
  return !(cause instanceof StatusError || cause instanceof WithheldError) && !isRefused
}

function failureText(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`
  const isTimeout = error.name === 'AbortError' && error.cause instanceof Error && error.cause.name === 'TimeoutError'
  return isTimeout ? `no answer within ${timeoutMs} ms` : error.message
}

interface PostOptions extends Required<ExtenderCall> {
  readonly body: string
  readonly agent: HttpAgent
}

function postRequest(url: string, { body, agent, signal, mayStart }: PostOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const isHttps = /^https:/i.test(url)
    const send = isHttps ? httpsRequest : httpRequest
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = send(url, { method: 'POST', agent, signal, headers }, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > MAX_RESPONSE_BYTES)
          response.destroy(new Error(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'))
        else reject(new StatusError(`code ${response.statusCode ?? 0}`))
      })
    })
    request.on('error', reject)
    // Checked only once there is a connection, because waiting for one may take long.
    const start = (): void => {
      if (mayStart()) request.end(body)
      else request.destroy(new WithheldError(NOT_LEADING))
    }
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once(isHttps ? 'secureConnect' : 'connect', start)
      else start()
    })
  })
}

function tlsOptions({ tlsConfig = {} }: Connection): AgentOptions {
  const cert = readPem(tlsConfig, 'cert')
  const key = readPem(tlsConfig, 'key')
  const ca = readPem(tlsConfig, 'ca')
  return {
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...trustedBy(ca),
    ...(tlsConfig.serverName !== undefined && { servername: tlsConfig.serverName }),
    rejectUnauthorized: tlsConfig.insecure !== true,
  }
}

/** Returns the authorities that may sign the extender's certificate. Node's default are the roots that it is built with. */
function trustedBy(ca: string | undefined): Pick<AgentOptions, 'ca'> {
  if (ca !== undefined) return { ca }
  const systemRoots = getCACertificates('system')
  return systemRoots.length > 0 ? { ca: systemRoots } : {}
}

function readPem(tls: ExtenderTls, part: 'cert' | 'key' | 'ca'): string | undefined {
  const data = tls[`${part}Data`]
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8')
  const file = tls[`${part}File`]
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`read ${part}File of an extender: ${error instanceof Error ? error.message : file}`, {
      code: 'BERTH_SCHEDULER_CONFIG_EXTENDER_TLS',
      cause: error,
    })
  }
}
