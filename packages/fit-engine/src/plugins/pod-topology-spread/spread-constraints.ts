import type { ClusterObjectsReader, Node, Pod, TopologySpreadConstraint } from '@berth/types'
import { labelOf, type Labels } from '../../selectors/label-requirement.ts'
import { type LabelMatcher, labelsMatcher, parseLabelMatcher, addRequirements } from '../../selectors/label-matcher.ts'
import { type NodeMatcher, requiredNodeMatcher } from '../../selectors/node-selector.ts'
import { tolerationMatcher } from '../../selectors/tolerations.ts'
import { defaultSelector } from './default-selector.ts'

/** A parsed constraint. */
export interface SpreadConstraint {
  readonly topologyKey: string
  readonly maxSkew: number
  readonly minDomains: number
  readonly matcher: LabelMatcher
  /** Returns whether pods on the node count; undefined: pods on every node count. */
  readonly countsNode: NodeMatcher | undefined
}

/** Constraints of pods that have none of their own. */
export interface SpreadDefaults {
  readonly constraints: readonly TopologySpreadConstraint[]
  /** Whether they are the scheduler's own defaults, which also score nodes without a zone. */
  readonly isSystem: boolean
}

/** The effect of a constraint on a node that does not meet it. */
export type SpreadAction = 'DoNotSchedule' | 'ScheduleAnyway'

const noLabels: Labels = {}

/** Returns the matcher of the constraint's selector and matchLabelKeys. */
function mergedMatcher({ labelSelector, matchLabelKeys }: TopologySpreadConstraint, podLabels: Labels): LabelMatcher {
  const parsed = parseLabelMatcher(labelSelector)
  if (parsed.kind === 'invalid') throw new Error(`read the selector of a topology spread constraint: ${parsed.problem}`)
  const podLabelEntries = (matchLabelKeys ?? []).flatMap((key): [string, string][] => {
    const value = labelOf(podLabels, key)
    return value === undefined ? [] : [[key, value]]
  })
  return addRequirements(labelsMatcher(Object.fromEntries(podLabelEntries)), parsed.matcher)
}

function hasNodeConstraints({ nodeSelector, affinity }: Pod['spec']): boolean {
  return nodeSelector != null || affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution != null
}

/** Returns a test for the nodes that the constraint's inclusion policies count; undefined if they count all nodes. */
function nodeInclusionTest(
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  pod: Pod,
): NodeMatcher | undefined {
  const matchesPod =
    (nodeAffinityPolicy ?? 'Honor') === 'Honor' && hasNodeConstraints(pod.spec) ? requiredNodeMatcher(pod) : undefined
  if (nodeTaintsPolicy !== 'Honor') return matchesPod
  const isTolerated = tolerationMatcher(pod.spec.tolerations)
  const hasToleratedTaints = ({ spec }: Node): boolean =>
    (spec?.taints ?? []).every(
      (taint) => (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') || isTolerated(taint),
    )
  return matchesPod === undefined ? hasToleratedTaints : (node) => matchesPod(node) && hasToleratedTaints(node)
}

/**
 * Parses constraints. `defaultMatcher` replaces the selector of every constraint; without it, each uses its own
 * selector.
 */
function parseConstraints(
  constraints: readonly TopologySpreadConstraint[],
  pod: Pod,
  defaultMatcher?: LabelMatcher,
): readonly SpreadConstraint[] {
  return constraints.map((constraint) => ({
    topologyKey: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains ?? 1,
    matcher: defaultMatcher ?? mergedMatcher(constraint, pod.metadata.labels ?? noLabels),
    countsNode: nodeInclusionTest(constraint, pod),
  }))
}

function withAction(
  constraints: readonly TopologySpreadConstraint[],
  action: SpreadAction,
): readonly TopologySpreadConstraint[] {
  return constraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
}

/**
 * Returns the pod's own constraints with the given action, in order.
 *
 * @throws Error when a selector is not valid.
 */
export function ownSpreadConstraints(pod: Pod, action: SpreadAction): readonly SpreadConstraint[] {
  return parseConstraints(withAction(pod.spec.topologySpreadConstraints ?? [], action), pod)
}

/**
 * Returns the pod's constraints with the given action, in order; the defaults when it has no constraints at all.
 * Defaults do not apply to a pod that no service and no controller selects.
 *
 * @throws Error when a selector is not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/podtopologyspread/common.go (v1.36)
 */
export function spreadConstraints(
  pod: Pod,
  action: SpreadAction,
  defaults: SpreadDefaults,
  objects: ClusterObjectsReader,
): readonly SpreadConstraint[] {
  if ((pod.spec.topologySpreadConstraints ?? []).length > 0) return ownSpreadConstraints(pod, action)
  const constraints = withAction(defaults.constraints, action)
  if (constraints.length === 0) return []
  const matcher = defaultSelector(pod, objects)
  return matcher.kind === 'everything' ? [] : parseConstraints(constraints, pod, matcher)
}
