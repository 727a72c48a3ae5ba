import { type Decision, type Framework, mergeReasons } from '@berth/fit-engine'
import { type Rejection, StatusCode } from '@berth/types'

/** The extender's verdicts on the nodes of a filter call. Each node is in one of the three. */
export interface NodeVerdicts {
  readonly passed: readonly string[]
  /** Reasons by node. The removal of another pod may help. Has no prototype. */
  readonly failed: Readonly<Record<string, string>>
  /** Reasons by node. The removal of other pods does not help. Has no prototype. */
  readonly unresolvable: Readonly<Record<string, string>>
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
  const groups = decision.rejectedNodeGroups()
  // kube-scheduler counts equal reasons, so merging here keeps its message short, too.
  const merged = mergeReasons(
    groups.map(({ rejection, nodeNames }) => [rejection, nodeNames.length] as const),
    framework.contributed,
  )
  const failed = createRecord()
  const unresolvable = createRecord()
  let judgedCount = decision.feasibleCount
  for (const { code, rejection, nodeNames } of groups) {
    const mayPreempt = code === StatusCode.Unschedulable && !lacksIgnored(rejection)
    const target = mayPreempt ? failed : unresolvable
    // Nodes of one group have the same reasons, so they lack the same resources.
    const reason = (merged.get(rejection.plugin) ?? rejection.reasons).join(', ')
    for (const name of nodeNames) target[name] = reason
    judgedCount += nodeNames.length
  }
  const feasible = new Set(decision.feasible)
  // A preFilter that rejects the pod may leave nodes without a reason of their own.
  if (judgedCount < names.length) {
    for (const name of names) {
      if (!feasible.has(name) && !(name in failed) && !(name in unresolvable))
        unresolvable[name] = decision.message === '' ? UNKNOWN_NODE_REASON : decision.message
    }
  }
  return { passed: feasible.size === 0 ? [] : names.filter((name) => feasible.has(name)), failed, unresolvable }
}

/** Returns an empty record in which a name from a caller, such as `__proto__`, is a key like any other. */
function createRecord(): Record<string, string> {
  return Object.create(null) as Record<string, string>
}
