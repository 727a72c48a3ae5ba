import type { ClusterObjectsReader, Node, Pod, TopologySpreadConstraint } from '@berth/types'
import { labelOf, type Labels } from '../../selectors/label-requirement.ts'
import { type LabelMatcher, labelsMatcher, parseLabelMatcher, addRequirements } from '../../selectors/label-matcher.ts'
import { type NodeMatcher, requiredNodeMatcher } from '../../selectors/node-selector.ts'
import { tolerationMatcher } from '../../selectors/tolerations.ts'
import { defaultSelector } from './default-selector.ts'

/** A constraint, ready to be asked. */
export interface SpreadConstraint {
  readonly topologyKey: string
  readonly maxSkew: number
  readonly minDomains: number
  readonly matcher: LabelMatcher
  /** Whether pods on the node count; undefined: on every node. */
  readonly counts: NodeMatcher | undefined
}

/** How pods without constraints of their own are spread. */
export interface SpreadDefaults {
  readonly constraints: readonly TopologySpreadConstraint[]
  /** They are the scheduler's own, which also speak of nodes without a zone. */
  readonly isSystem: boolean
}

/** What a constraint does where it is not met. */
export type SpreadAction = 'DoNotSchedule' | 'ScheduleAnyway'

const noLabels: Labels = {}

/** The selector with matchLabelKeys merged in. */
function mergedMatcher({ labelSelector, matchLabelKeys }: TopologySpreadConstraint, podLabels: Labels): LabelMatcher {
  const parsed = parseLabelMatcher(labelSelector)
  if (parsed.kind === 'invalid') throw new Error(`read the selector of a topology spread constraint: ${parsed.problem}`)
  const same = (matchLabelKeys ?? []).flatMap((key): [string, string][] => {
    const value = labelOf(podLabels, key)
    return value === undefined ? [] : [[key, value]]
  })
  return addRequirements(labelsMatcher(Object.fromEntries(same)), parsed.matcher)
}

function hasNodeWishes({ nodeSelector, affinity }: Pod['spec']): boolean {
  return nodeSelector != null || affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution != null
}

/** Which nodes count by the constraint's inclusion policies. */
function inclusion(
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  pod: Pod,
): NodeMatcher | undefined {
  const isWanted =
    (nodeAffinityPolicy ?? 'Honor') === 'Honor' && hasNodeWishes(pod.spec) ? requiredNodeMatcher(pod) : undefined
  if (nodeTaintsPolicy !== 'Honor') return isWanted
  const isTolerated = tolerationMatcher(pod.spec.tolerations)
  const isBearable = ({ spec }: Node): boolean =>
    (spec?.taints ?? []).every(
      (taint) => (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') || isTolerated(taint),
    )
  return isWanted === undefined ? isBearable : (node) => isWanted(node) && isBearable(node)
}

/**
 * The pod's constraints with the given action, in order; the defaults where it has no constraints at all. Defaults
 * say nothing about a pod that no service and no controller selects.
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
  const own = pod.spec.topologySpreadConstraints ?? []
  const isOwn = own.length > 0
  const asked = (isOwn ? own : defaults.constraints).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
  if (asked.length === 0) return []
  const shared = isOwn ? undefined : defaultSelector(pod, objects)
  if (shared?.kind === 'everything') return []
  return asked.map((constraint) => ({
    topologyKey: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains ?? 1,
    matcher: shared ?? mergedMatcher(constraint, pod.metadata.labels ?? noLabels),
    counts: inclusion(constraint, pod),
  }))
}
