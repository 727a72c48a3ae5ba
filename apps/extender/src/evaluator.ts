import type { ClusterView } from '@berth/cluster-view'
import {
  type AnnotatedPod,
  annotateForBinding,
  decide,
  type Decision,
  isOffered,
  unsupportedFeatures,
} from '@berth/fit-engine'
import type { MetaVictims, Node, Pod, Random } from '@berth/types'
import { type ExtenderProfile, judgeNodes, misfitOf, scoreNodes } from '@berth/scheduler-config'
import { RefusalError } from './errors.ts'
import type { NodesRequest } from './extender-args.ts'
import { FilterAnswer } from './responses/filter-answer.ts'
import { PriorityAnswer } from './responses/priority-answer.ts'

/** Dependencies of an evaluator. */
export interface EvaluatorDependencies {
  readonly profile: ExtenderProfile
  readonly view: Pick<ClusterView, 'state' | 'notReady' | 'subscribe'>
  readonly refuseUnsupported: boolean
  /** Resources that kube-scheduler ignores, so that its preemption cannot free them. */
  readonly ignoredResources: ReadonlySet<string>
  readonly now: () => number
  readonly random: Random
}

/** Evaluates extender requests with the cluster view and the plugins. It has no state of its own. */
export interface Evaluator {
  /** @throws RefusalError when the pod cannot be evaluated. */
  filter(request: NodesRequest): FilterAnswer
  /**
   * Returns whether the pod fits on one of the nodes.
   *
   * @throws RefusalError when the pod cannot be evaluated.
   */
  passes(request: NodesRequest): boolean
  /**
   * Returns one score from 0 to 10 for each name.
   *
   * @throws RefusalError when the pod cannot be evaluated.
   */
  prioritize(request: NodesRequest): PriorityAnswer
  /**
   * Returns why the pod does not fit on the node now; undefined if it fits.
   *
   * @throws RefusalError when the pod cannot be evaluated.
   */
  misfit(pod: Pod, nodeName: string): string | undefined
  /**
   * Returns the pod with the annotations that plugins give it for the node.
   *
   * @throws BindingAnnotationsError when a plugin cannot give them.
   */
  annotate(pod: Pod, nodeName: string): AnnotatedPod
  /**
   * Notes the result of a preemption review at the time of the review, before hooks change it. Undefined for an evaluator
   * that records nothing.
   */
  readonly noteReview?: (
    pod: Pod,
    proposed: ReadonlyMap<string, MetaVictims>,
    reviewed: ReadonlyMap<string, MetaVictims>,
  ) => void
  /** Calls the listener after each cluster change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
  /** Returns why no pod can be evaluated now; undefined when the evaluator is ready. For /readyz. */
  readonly notReady: () => string | undefined
}

/** Creates an evaluator. */
export function createEvaluator(dependencies: EvaluatorDependencies): Evaluator {
  const { profile, view, refuseUnsupported, ignoredResources, now, random } = dependencies

  const notReady = (): string | undefined => view.notReady()

  const evaluate = ({ pod, names }: NodesRequest, score: boolean): Decision => {
    const reason = notReady()
    if (reason !== undefined) {
      throw new RefusalError(`evaluate pod: ${reason}`, { code: 'BERTH_EXTENDER_STALE', retryable: true })
    }
    const { state } = view
    const features = refuseUnsupported ? unsupportedFeatures(pod, state.objects, (name) => isOffered(state, name)) : []
    if (features.length > 0) {
      throw new RefusalError(`evaluate pod: it uses what the extender does not implement: ${features.join('; ')}`, {
        code: 'BERTH_EXTENDER_UNSUPPORTED',
      })
    }
    const decision = decide(profile.framework, view.state, pod, { nodeNames: names, nowMs: now(), random, score })
    if (decision.error === undefined) return decision
    const { plugin, message, cause } = decision.error
    throw new RefusalError(message, { code: 'BERTH_EXTENDER_PLUGIN', plugin, cause })
  }

  return {
    notReady,
    subscribe: (listener) => view.subscribe(listener),
    filter(request) {
      const decision = evaluate(request, false)
      const { names, nodes } = request
      const verdicts = judgeNodes(decision, { names, framework: profile.framework, ignoredResources })
      const passed = nodes === undefined ? null : { metadata: {}, items: pickNodes(nodes, verdicts.passed) }
      return new FilterAnswer(verdicts, passed, request.hasPlainNames)
    },
    passes: (request) => evaluate(request, false).feasibleCount > 0,
    misfit(pod, nodeName) {
      return misfitOf(evaluate({ pod, names: [nodeName], nodes: undefined }, false), nodeName)
    },
    annotate: (pod, nodeName) =>
      annotateForBinding(profile.framework, view.state, pod, nodeName, { nowMs: now(), random }),
    prioritize(request) {
      const scores = scoreNodes(evaluate(request, true), request.names, profile)
      return new PriorityAnswer(request.names, scores, request.hasPlainNames)
    },
  }
}

function pickNodes(nodes: ReadonlyMap<string, Node>, names: readonly string[]): readonly Node[] {
  return names.flatMap((name) => nodes.get(name) ?? [])
}
