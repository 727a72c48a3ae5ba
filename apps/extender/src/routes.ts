import type { Clock, ExtenderBindingResult, ExtenderFilterResult, ExtenderPreemptionResult, Logger } from '@berth/types'
import type { PreemptionReview } from './preemption/review-preemption.ts'
import type { RefusalError } from './errors.ts'
import type { Binder } from './bind/binder.ts'
import { type NodesRequest, readBindRequest, readNodesRequest, readPreemptRequest } from './extender-args.ts'
import type { Evaluator } from './evaluator.ts'
import type { CallBody } from './serving/call-body.ts'
import type { RequestLimits } from './serving/request-limits.ts'
import type { FilterAnswer } from './responses/filter-answer.ts'
import type { ExtenderMetrics } from './metrics.ts'
import type { RejectedPods } from './retries/rejected-pods.ts'
import { createWaitBudget, waitForFeasible } from './wait-for-feasible.ts'

/** Dependencies of {@link createRoutes}. */
export interface RouteOptions {
  readonly evaluator: Evaluator
  readonly reviewPreemption: PreemptionReview
  /** Undefined when the bind verb is not served. */
  readonly binder: Pick<Binder, 'bind'> | undefined
  readonly limits: RequestLimits
  /** Maximum delay of a filter response without a feasible node, milliseconds. See {@link waitForFeasible}. */
  readonly secondLookMs: number
  /** Undefined when kube-scheduler cannot be made to retry. */
  readonly rejectedPods: Pick<RejectedPods, 'add' | 'delete'> | undefined
  readonly metrics: ExtenderMetrics
  readonly clock: Clock
  readonly log: Logger
}

/** A verb of the protocol. */
export interface Route {
  /** Returns the response. */
  readonly handle: (body: CallBody) => unknown
  /** Returns the response to a call that is refused. */
  readonly refused: (error: RefusalError) => unknown
}

/** Returns the number of nodes that passed the filters. */
function countPassed({ NodeNames, Nodes }: ExtenderFilterResult): number {
  return NodeNames?.length ?? Nodes?.items.length ?? 0
}

/** Returns whether a node passed the filters, or none was asked about. */
function hasAnswer(result: ExtenderFilterResult, { names }: NodesRequest): boolean {
  return countPassed(result) > 0 || names.length === 0
}

/** Returns the verbs that are served, by name. */
export function createRoutes({
  evaluator,
  reviewPreemption,
  binder,
  secondLookMs,
  rejectedPods,
  limits,
  metrics,
  clock,
  log,
}: RouteOptions): ReadonlyMap<string, Route> {
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
  const filter = async (body: CallBody): Promise<FilterAnswer> => {
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
    const count = (verdict: string, nodes: number): void => {
      if (nodes > 0) metrics.judgedNodes.inc({ verdict }, nodes)
    }
    count('fits', countPassed(response))
    const { failed, unresolvable } = response.rejectedCounts()
    count('unschedulable', failed)
    count('unresolvable', unresolvable)
    return response
  }
  const preempt = async ({ value }: CallBody): Promise<ExtenderPreemptionResult> => {
    const { pod, victims } = readPreemptRequest(value, limits.maxNodes)
    const reviewed = await reviewPreemption(pod, victims, (found) => evaluator.noteReview?.(pod, victims, found))
    return { NodeNameToMetaVictims: Object.fromEntries(reviewed) }
  }
  const routes = new Map<string, Route>()
  routes.set('filter', {
    handle: filter,
    refused: ({ message }) => ({
      Nodes: null,
      NodeNames: [],
      FailedNodes: {},
      FailedAndUnresolvableNodes: {},
      Error: message,
    }),
  })
  // The response of this verb has no error field, so a failed evaluation returns no scores.
  routes.set('prioritize', {
    handle: (body) => evaluator.prioritize(parseNodesRequest(body)),
    refused: () => [],
  })
  // The response of this verb has no error field either. Without candidates, kube-scheduler evicts no pod.
  routes.set('preempt', { handle: preempt, refused: () => ({ NodeNameToMetaVictims: {} }) })
  if (binder !== undefined) {
    const bind = async ({ value }: CallBody): Promise<ExtenderBindingResult> => {
      await binder.bind(readBindRequest(value))
      return { Error: '' }
    }
    routes.set('bind', { handle: bind, refused: ({ message }) => ({ Error: message }) })
  }
  return routes
}
