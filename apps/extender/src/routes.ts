import { errorText } from '@berth/text/error-text'
import type {
  Clock,
  ExtenderBindingResult,
  ExtenderFilterResult,
  ExtenderPreemptionResult,
  Logger,
  Pod,
  Random,
} from '@berth/types'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PreemptionReview } from './preemption/review-preemption.ts'
import { RefusalError } from './errors.ts'
import type { Binder } from './bind/binder.ts'
import { type NodesRequest, readBindRequest, readNodesRequest, readPreemptRequest } from './extender-args.ts'
import type { Evaluator } from './evaluator.ts'
import { addRequestLimits, bodyLimitOf, type RequestLimits, verbOf } from './serving/request-limits.ts'
import { type CallBody, parseCallBody } from './serving/call-body.ts'
import type { BodyDiscarder } from './serving/discard-body.ts'
import { sendInOnePiece } from './serving/http2.ts'
import { createNameReader } from './serving/name-reader.ts'
import { readBody } from './serving/read-body.ts'
import { createResponseBuffers, type WritesJson } from './responses/response-buffers.ts'
import type { ExtenderMetrics } from './metrics.ts'
import type { RejectedPods } from './retries/rejected-pods.ts'
import { createWaitBudget, waitForFeasible } from './wait-for-feasible.ts'

/** Dependencies of the routes. */
export interface RouteOptions {
  readonly evaluator: Evaluator
  readonly reviewPreemption: PreemptionReview
  /** Undefined when the bind verb is not served. */
  readonly binder: Pick<Binder, 'bind'> | undefined
  /** Maximum delay of a filter response without a feasible node, milliseconds. See {@link waitForFeasible}. */
  readonly secondLookMs: number
  /** Undefined when kube-scheduler cannot be made to retry. */
  readonly rejectedPods: Pick<RejectedPods, 'add' | 'delete'> | undefined
  readonly limits: RequestLimits
  readonly discarder: BodyDiscarder
  /** Time for reading a response, milliseconds. */
  readonly requestMs: number
  readonly metrics: ExtenderMetrics
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

const NO_BODY: CallBody = { value: undefined, names: undefined }

/** Returns the number of nodes that passed the filters. */
function countPassed({ NodeNames, Nodes }: ExtenderFilterResult): number {
  return NodeNames?.length ?? Nodes?.items.length ?? 0
}

/** Returns whether a node passed the filters, or none was asked about. */
function hasAnswer(result: ExtenderFilterResult, { names }: NodesRequest): boolean {
  return countPassed(result) > 0 || names.length === 0
}

/** Registers the verbs of the extender protocol on a server. */
export function addRoutes(
  server: FastifyInstance,
  {
    evaluator,
    reviewPreemption,
    binder,
    secondLookMs,
    rejectedPods,
    limits,
    discarder,
    requestMs,
    metrics,
    clock,
    random,
    log,
  }: RouteOptions,
): void {
  const writeResponse = createResponseBuffers()
  const nameReader = createNameReader(Math.floor(random() * 2 ** 32))
  // Plain JSON.parse makes keys such as __proto__ own properties, and no later code merges them.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const maxBytes = bodyLimitOf(verbOf(request.url), limits)
    const bounds = { maxBytes, maxNodes: limits.maxNodes }
    return readBody(payload, bounds, discarder, (bytes) => parseCallBody(bytes, nameReader))
  })
  const refusedResponses = new Map<string, (error: RefusalError) => unknown>()
  const sendJson = (reply: FastifyReply, json: Buffer, status = 200): FastifyReply => {
    const headers = { ':status': status, 'content-type': CONTENT_TYPE }
    return sendInOnePiece(reply, headers, json, { requestMs, clock }) ? reply : send(reply, status, json)
  }
  const refuseEarly = (reply: FastifyReply, name: string, error: RefusalError): FastifyReply => {
    const refusedResponse = refusedResponses.get(name)
    // A caller can make up any number of paths, and each label value is kept.
    const verb = refusedResponse === undefined ? 'unknown' : name
    metrics.calls.inc({ verb, result: 'bad_request' })
    log.warn({ err: error, verb }, 'Refused a request')
    return sendJson(reply, Buffer.from(JSON.stringify(refusedResponse?.(error) ?? { Error: error.message })))
  }
  addRequestLimits(server, limits, discarder, refuseEarly)
  const budget = createWaitBudget(clock)
  let hasWarned = false
  const parseNodesRequest = ({ value, names }: CallBody): NodesRequest => {
    const nodesRequest = readNodesRequest(value, limits.maxNodes, names)
    if (nodesRequest.nodes !== undefined) {
      metrics.wholeNodeCalls.inc()
      if (!hasWarned)
        log.warn(
          { nodes: nodesRequest.nodes.size },
          'A request contained whole nodes; set nodeCacheCapable to true in kube-scheduler',
        )
      hasWarned = true
    }
    return nodesRequest
  }
  const route = (
    verb: string,
    handle: (body: CallBody) => unknown,
    refusedResponse: (error: RefusalError) => unknown,
  ): void => {
    refusedResponses.set(verb, refusedResponse)
    server.post(`/${verb}`, { bodyLimit: bodyLimitOf(verb, limits) }, async (request, reply) => {
      const startMs = clock.monotonic()
      const body = (request.body as CallBody | null | undefined) ?? NO_BODY
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
        response = refusedResponse(refusal)
      }
      metrics.calls.inc({ verb, result })
      metrics.callDuration.observe({ verb }, (clock.monotonic() - startMs) / 1_000)
      if (!writesJson(response)) return sendJson(reply, Buffer.from(JSON.stringify(response)))
      const { bytes, release } = writeResponse(response)
      reply.raw.once('close', release)
      return sendJson(reply, bytes)
    })
  }
  route(
    'filter',
    async (body) => {
      const nodesRequest = parseNodesRequest(body)
      const response = await waitForFeasible({
        evaluate: () => evaluator.filter(nodesRequest),
        isFeasible: (result) => hasAnswer(result, nodesRequest),
        subscribe: evaluator.subscribe,
        budget,
        clock,
        limitMs: secondLookMs,
      })
      if (hasAnswer(response, nodesRequest)) rejectedPods?.delete(nodesRequest.pod)
      else rejectedPods?.add(nodesRequest)
      const count = (verdict: string, nodes: number): void => metrics.judgedNodes.inc({ verdict }, nodes)
      count('fits', countPassed(response))
      const { failed, unresolvable } = response.rejectedCounts()
      count('unschedulable', failed)
      count('unresolvable', unresolvable)
      return response
    },
    (error) => ({
      Nodes: null,
      NodeNames: [],
      FailedNodes: {},
      FailedAndUnresolvableNodes: {},
      Error: error.message,
    }),
  )
  // The response of this verb has no error field, so a failed evaluation returns no scores.
  route(
    'prioritize',
    (body) => evaluator.prioritize(parseNodesRequest(body)),
    () => [],
  )
  const preempt = async ({ value }: CallBody): Promise<ExtenderPreemptionResult> => {
    const { pod, victims } = readPreemptRequest(value, limits.maxNodes)
    const reviewed = await reviewPreemption(pod, victims, (found) => evaluator.noteReview?.(pod, victims, found))
    return { NodeNameToMetaVictims: Object.fromEntries(reviewed) }
  }
  // The response of this verb has no error field either. Without candidates, kube-scheduler evicts no pod.
  route('preempt', preempt, () => ({ NodeNameToMetaVictims: {} }))
  if (binder !== undefined) {
    const bind = async ({ value }: CallBody): Promise<ExtenderBindingResult> => {
      await binder.bind(readBindRequest(value))
      return { Error: '' }
    }
    route('bind', bind, (error) => ({ Error: error.message }))
  }
  const verbs = binder === undefined ? '/filter, /prioritize and /preempt' : '/filter, /prioritize, /preempt and /bind'
  server.setNotFoundHandler((request, reply) => {
    const hint = verbOf(request.url) === 'bind' ? '; to serve POST /bind, set bind to true in the configuration' : ''
    return send(reply, 404, JSON.stringify({ Error: `not found: the verbs are POST ${verbs}${hint}` }))
  })
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof RefusalError) return refuseEarly(reply, verbOf(request.url), error)
    const status =
      error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
    log.warn({ err: error, status }, 'Request failed')
    const message = error instanceof Error ? error.message : 'request failed'
    return sendJson(reply, Buffer.from(JSON.stringify({ Error: message })), status)
  })
}

const CONTENT_TYPE = 'application/json; charset=utf-8'

function send(reply: FastifyReply, status: number, json: string | Buffer): FastifyReply {
  // Fastify adds the charset to strings only.
  return reply.code(status).type(CONTENT_TYPE).send(json)
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
