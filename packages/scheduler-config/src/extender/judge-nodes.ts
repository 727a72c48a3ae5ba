import { type Decision, type Framework, mergeReasons } from '@berth/fit-engine'
import { MAX_EXTENDER_PRIORITY, type Rejection, StatusCode } from '@berth/types'
import type { ExtenderProfile } from './extender-profile.ts'

/** Nodes that were rejected for one reason. */
export interface ReasonGroup {
  readonly reason: string
  readonly nodeNames: readonly string[]
}

/** The extender's verdicts on the nodes of a filter call. Each node is in exactly one of the three lists. */
export interface NodeVerdicts {
  readonly passed: readonly string[]
  /** Preemption may help: `failedNodes` of the protocol. */
  readonly failed: readonly ReasonGroup[]
  /** Preemption does not help: `failedAndUnresolvableNodes` of the protocol. */
  readonly unresolvable: readonly ReasonGroup[]
}

/** Options of {@link judgeNodes}. */
export interface JudgeOptions {
  /** The nodes of the call, without duplicates. */
  readonly names: readonly string[]
  readonly framework: Framework
  /** Resources that kube-scheduler's NodeResourcesFit ignores. Its preemption cannot free them. */
  readonly ignoredResources: ReadonlySet<string>
}

/** kube-scheduler may see a new node earlier than the extender's cluster view. */
const UNKNOWN_NODE_REASON = 'node is not known to the extender yet'

/** Returns the verdicts of a decision in the terms of kube-scheduler's extender protocol. */
export function judgeNodes(decision: Decision, { names, framework, ignoredResources }: JudgeOptions): NodeVerdicts {
  // kube-scheduler's preemption does not count an ignored resource: it would find that the pod fits beside every
  // victim.
  const lacksIgnored = ({ insufficient = [] }: Rejection): boolean =>
    insufficient.some(({ resourceName }) => ignoredResources.has(resourceName))
  const groups = decision.rejectedNodeGroups()
  // kube-scheduler's message has one part for each distinct reason, so merging them here keeps it short.
  const merged = mergeReasons(
    groups.map(({ rejection, nodeNames }) => [rejection, nodeNames.length] as const),
    framework.contributed,
  )
  const failed: ReasonGroup[] = []
  const unresolvable: ReasonGroup[] = []
  let judgedCount = decision.feasibleCount
  for (const { code, rejection, nodeNames } of groups) {
    const mayPreempt = code === StatusCode.Unschedulable && !lacksIgnored(rejection)
    // Nodes of one group have the same reasons, so they lack the same resources.
    const reason = (merged.get(rejection.plugin) ?? rejection.reasons).join(', ')
    const target = mayPreempt ? failed : unresolvable
    target.push({ reason, nodeNames })
    judgedCount += nodeNames.length
  }
  // A preFilter that rejects the pod may leave nodes without a reason of their own.
  if (judgedCount < names.length) {
    const judged = new Set([...decision.feasible, ...groups.flatMap(({ nodeNames }) => nodeNames)])
    const reason = decision.message === '' ? UNKNOWN_NODE_REASON : decision.message
    unresolvable.push({ reason, nodeNames: names.filter((name) => !judged.has(name)) })
  }
  return { passed: passedOf(decision, names), failed, unresolvable }
}

/** Returns the names that passed. A call names thousands of nodes; the cases that all or none pass need no set. */
function passedOf(decision: Decision, names: readonly string[]): readonly string[] {
  if (decision.feasibleCount === 0) return []
  if (decision.feasibleCount === names.length) return names
  const feasible = new Set(decision.feasible)
  return names.filter((name) => feasible.has(name))
}

/** Returns the reasons by node, in a record without prototype: a name such as `__proto__` is a key like any other. */
export function reasonsByNode(groups: readonly ReasonGroup[]): Readonly<Record<string, string>> {
  const reasons = Object.create(null) as Record<string, string>
  for (const { reason, nodeNames } of groups) for (const name of nodeNames) reasons[name] = reason
  return reasons
}

/**
 * Returns the scores of a prioritize call in the order of its names, whole numbers from 0 to 10.
 *
 * @param decision - A decision with scores.
 */
export function scoreNodes(
  decision: Decision,
  names: readonly string[],
  { maxTotal }: Pick<ExtenderProfile, 'maxTotal'>,
): Float64Array {
  const totals = decision.totalsOf(names)
  const scale = maxTotal === 0 ? 0 : MAX_EXTENDER_PRIORITY / maxTotal
  for (let i = 0; i < totals.length; i++) totals[i] = Math.round((totals[i] ?? 0) * scale)
  return totals
}

/** Returns why the pod of a decision does not fit on the node; undefined if it fits. */
export function misfitOf({ feasible, rejected, message }: Decision, nodeName: string): string | undefined {
  if (feasible.includes(nodeName)) return undefined
  return rejected.get(nodeName)?.rejection.reasons.join(', ') ?? message
}
