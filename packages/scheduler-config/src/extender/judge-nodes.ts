import { type Decision, type Framework, mergeReasons } from '@berth/fit-engine'
import { type Rejection, StatusCode } from '@berth/types'

/** The extender's verdicts on the nodes of a filter call. Each node is in one of the three. */
export interface NodeVerdicts {
  readonly passed: readonly string[]
  /** Reasons by node. The removal of another pod may help. */
  readonly failed: ReadonlyMap<string, string>
  /** Reasons by node. The removal of other pods does not help. */
  readonly unresolvable: ReadonlyMap<string, string>
}

/** Options of {@link judgeNodes}. */
export interface JudgeOptions {
  /** The nodes of the call. */
  readonly names: readonly string[]
  readonly framework: Framework
  /** Resources that kube-scheduler ignores, so that its preemption cannot free them. */
  readonly ignoredResources: ReadonlySet<string>
}

/** kube-scheduler may see a new node earlier than the extender's cluster view. */
const UNKNOWN_NODE_REASON = 'node is not known to the extender yet'

/** Returns the verdicts of a decision in the terms of kube-scheduler's extender protocol. */
export function judgeNodes(decision: Decision, { names, framework, ignoredResources }: JudgeOptions): NodeVerdicts {
  // kube-scheduler's dry run does not count an ignored resource: it would find that the pod fits beside every victim.
  const lacksIgnored = ({ insufficient = [] }: Rejection): boolean =>
    insufficient.some(({ resourceName }) => ignoredResources.has(resourceName))
  const feasible = new Set(decision.feasible)
  const failed = new Map<string, string>()
  const unresolvable = new Map<string, string>()
  // kube-scheduler counts equal reasons, so merging here keeps its message short, too.
  const merged = mergeReasons(
    decision.rejected.values().map(({ rejection }) => [rejection, 1] as const),
    framework.contributed,
  )
  for (const [name, { code, rejection }] of decision.rejected) {
    const mayPreempt = code === StatusCode.Unschedulable && !lacksIgnored(rejection)
    const target = mayPreempt ? failed : unresolvable
    target.set(name, (merged.get(rejection.plugin) ?? rejection.reasons).join(', '))
  }
  // A preFilter that rejects the pod may leave nodes without a reason of their own.
  for (const name of names) {
    if (!feasible.has(name) && !failed.has(name) && !unresolvable.has(name))
      unresolvable.set(name, decision.message === '' ? UNKNOWN_NODE_REASON : decision.message)
  }
  return { passed: names.filter((name) => feasible.has(name)), failed, unresolvable }
}
