import { errorText } from '@berth/text/error-text'
import type { Pod, Random } from '@berth/types'
import { RefusalError } from './errors.ts'
import { readBindRequest, readNodesRequest } from './extender-args.ts'
import { createResponseBuffers, type WritesJson } from './responses/response-buffers.ts'
import { createRoutes, type Route, type RouteOptions } from './routes.ts'
import { type Call, type Connection, isJson } from './serving/call.ts'
import { type CallBody, parseCallBody } from './serving/call-body.ts'
import { clientNames } from './serving/client-names.ts'
import type { BodyDiscarder } from './serving/discard-body.ts'
import { createNameReader } from './serving/name-reader.ts'
import { BodyTooLargeError, readBody } from './serving/read-body.ts'
import { bodyLimitOf, createMemoryOfBodies, tooLarge, verbOf } from './serving/request-limits.ts'

/** Dependencies of the call handler. */
export interface CallHandlerOptions extends RouteOptions {
  /** Returns whether the caller of a connection may call. Undefined when every caller may. */
  readonly isAllowed: ((connection: Connection) => boolean) | undefined
  /** Names in client certificates that may call. Not used without client certificates. */
  readonly allowedClientNames: readonly string[]
  readonly discarder: BodyDiscarder
  readonly random: Random
}

/** Serves one call. Each call gets one response, unless its caller is gone. */
export type CallHandler = (call: Call) => void

/** Creates the handler of calls for the verbs of the extender protocol. */
export function createCallHandler(options: CallHandlerOptions): CallHandler {
  const { binder, isAllowed, allowedClientNames, limits, discarder, metrics, clock, random, log } = options
  const routes = createRoutes(options)
  const memory = createMemoryOfBodies(limits)
  const writeResponse = createResponseBuffers()
  const nameReader = createNameReader(Math.floor(random() * 2 ** 32))
  const parse = (bytes: Buffer): CallBody => parseCallBody(bytes, nameReader)

  const respond = (call: Call, response: unknown, status = 200): void => {
    if (writesJson(response)) {
      const { bytes, release } = writeResponse(response)
      call.onClose(release)
      call.respond(status, bytes)
    } else call.respond(status, Buffer.from(JSON.stringify(response)))
  }
  /** Sends a response to a call whose body is not read. */
  const respondUnread = async (call: Call, response: unknown, status?: number): Promise<void> => {
    const discarded = discarder.discard(call.body)
    // Over HTTP/1.1, the caller reads the response while the rest of its body is dropped.
    if (!call.readsResponseLast) await discarded
    respond(call, response, status)
  }
  const refuseCaller = (call: Call): Promise<void> => {
    const names = clientNames(call.connection.socket).join(', ')
    log.warn({ names }, 'Refused a caller whose certificate has no allowed name')
    metrics.calls.inc({ verb: 'any', result: 'forbidden' })
    call.closeConnection()
    const message = `forbidden: the client certificate is for ${names}, and allowedClientNames has ${allowedClientNames.join(', ')}`
    return respondUnread(call, { Error: message }, 403)
  }
  const refuseBody = (verb: string, route: Route | undefined, error: RefusalError): unknown => {
    // A caller can make up any number of paths, and each label value is kept.
    const known = route === undefined ? 'unknown' : verb
    metrics.calls.inc({ verb: known, result: 'bad_request' })
    log.warn({ err: error, verb: known }, 'Refused a request')
    return route?.refused(error) ?? { Error: error.message }
  }
  const notFound = (verb: string): unknown => {
    const verbs =
      binder === undefined ? '/filter, /prioritize and /preempt' : '/filter, /prioritize, /preempt and /bind'
    const hint = verb === 'bind' ? '; to serve POST /bind, set bind to true in the configuration' : ''
    return { Error: `not found: the verbs are POST ${verbs}${hint}` }
  }
  const evaluate = async (verb: string, { handle, refused }: Route, body: CallBody): Promise<unknown> => {
    const startMs = clock.monotonic()
    let result = 'ok'
    let response: unknown
    try {
      response = await handle(body)
    } catch (error) {
      const refusal = toRefusal(error)
      result = refusal.code === 'BERTH_EXTENDER_REQUEST' ? 'bad_request' : 'refused'
      const { plugin } = refusal
      log.warn(
        { err: refusal, ...(plugin !== undefined && { plugin }), verb, pod: readPodName(body.value) },
        'Refused a request',
      )
      response = refused(refusal)
    }
    metrics.calls.inc({ verb, result })
    metrics.callDuration.observe({ verb }, (clock.monotonic() - startMs) / 1_000)
    return response
  }
  const serve = async (call: Call): Promise<void> => {
    if (isAllowed !== undefined && !isAllowed(call.connection)) return refuseCaller(call)
    const verb = verbOf(call.url)
    const route = call.method === 'POST' ? routes.get(verb) : undefined
    const maxBytes = bodyLimitOf(verb, limits)
    if (call.announcedBytes > maxBytes)
      return respondUnread(call, refuseBody(verb, route, tooLarge(call.announcedBytes, maxBytes)))
    if (route === undefined) return respondUnread(call, notFound(verb), 404)
    if (!isJson(call.contentType)) {
      const message = `unsupported Content-Type ${JSON.stringify(call.contentType)}: send application/json`
      return respondUnread(call, { Error: message }, 415)
    }
    const held = memory.open(call.connection.key)
    call.onClose(() => held.release())
    let body: CallBody
    try {
      body = await readBody(call.body, { maxBytes, maxNodes: limits.maxNodes, held }, discarder, parse)
    } catch (error) {
      if (error instanceof RefusalError) return respond(call, refuseBody(verb, route, error))
      if (!(error instanceof BodyTooLargeError)) throw error
      log.warn({ err: error, status: 413 }, 'Request failed')
      return respond(call, { Error: error.message }, 413)
    }
    return respond(call, await evaluate(verb, route, body))
  }
  return (call) => {
    serve(call).catch((error: unknown) => {
      log.warn({ err: error, status: 500 }, 'Request failed')
      respond(call, { Error: errorText(error) }, 500)
    })
  }
}

function writesJson(response: unknown): response is WritesJson {
  return typeof response === 'object' && response !== null && 'writeTo' in response
}

function toRefusal(error: unknown): RefusalError {
  if (error instanceof RefusalError) return error
  const message = errorText(error)
  return new RefusalError(`evaluate pod: ${message}`, { code: 'BERTH_EXTENDER_PLUGIN', cause: error })
}

/** Returns the pod's namespace and name. Nothing else of a pod is logged. */
function readPodName(body: unknown): string | undefined {
  try {
    const { metadata }: Pod = readNodesRequest(body).pod
    return `${String(metadata.namespace)}/${String(metadata.name)}`.slice(0, 512)
  } catch {
    return readBoundPodName(body)
  }
}

function readBoundPodName(body: unknown): string | undefined {
  try {
    const { PodNamespace, PodName } = readBindRequest(body)
    return `${PodNamespace}/${PodName}`.slice(0, 512)
  } catch {
    return undefined
  }
}
