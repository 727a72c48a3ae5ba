import { type Candidates, type Node, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { PluginFailure } from '../../framework/plugin-failure.ts'
import { normalizeScores } from '../../framework/normalize-scores.ts'
import { requiredNodeNames } from '../../selectors/required-node-names.ts'
import { requiredNodeMatcher } from '../../selectors/node-selector.ts'
import { parsePreferredTerms } from '../../selectors/preferred-terms.ts'
import { type AddedAffinity, type NodeAffinityArgs, parseNodeAffinityArgs } from './args.ts'
import { nodeAffinityCauses } from './causes.ts'
import { nodeAffinityTopics } from './hint.ts'

const PLUGIN = 'NodeAffinity'
const UNMATCHED = ["node(s) didn't match Pod's node affinity/selector"] as const
const NOT_ENFORCED = ["node(s) didn't match scheduler-enforced node affinity"] as const
const CONFLICT = ['pod affinity terms conflict'] as const

/**
 * Filters nodes by the pod's nodeSelector and required node affinity, and scores them by its preferred node affinity.
 * Arguments can add an affinity to that of every pod.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (v1.36)
 */
export function nodeAffinity(args?: NodeAffinityArgs): EnginePlugin {
  const added = parseNodeAffinityArgs(args)
  const enforced = {
    selector: args?.addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    matches: added.matchesRequired,
  }
  return {
    name: PLUGIN,
    preFilter: (pod) => preFilter(pod, added),
    filter: (pod, candidates, output, context) => filter(pod, added, candidates, output, context),
    causes: (pod, cluster) => nodeAffinityCauses(pod, enforced, cluster),
    passesAfterRemovals: true,
    eventTopics: (pod) => nodeAffinityTopics(pod, added.matchesRequired !== undefined),
    preScore: (pod) => {
      const hasPreferences = preferredWeights(pod) !== undefined || added.preferredWeightOf !== undefined
      return hasPreferences ? undefined : { kind: 'skip' }
    },
    score: (pod, candidates, scores, context) => score(pod, added, candidates, scores, context),
    normalizeScore: (_pod, { count }, scores) => normalizeScores(scores, count, false),
  }
}

function preFilter({ spec }: Pod, { matchesRequired: matchesAdded }: AddedAffinity): PreFilterResult {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required == null) return matchesAdded === undefined && spec.nodeSelector == null ? { kind: 'skip' } : undefined
  const nodeNames = requiredNodeNames(required)
  if (nodeNames === undefined) return undefined
  if (nodeNames.size > 0) return { kind: 'narrow', nodeNames }
  return { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons: CONFLICT }
}

function filter(
  pod: Pod,
  { matchesRequired: matchesAdded }: AddedAffinity,
  { rows, count }: Candidates,
  output: EngineFilterOutput,
  { cluster }: EngineContext,
): void {
  const matchesPod = requiredNodeMatcher(pod)
  for (let i = 0; i < count; i++) {
    const node = cluster.node(rows[i] ?? 0)
    if (matchesAdded?.(node) === false) {
      output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, NOT_ENFORCED)
    } else if (!matchesPod(node)) {
      output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, UNMATCHED)
    }
  }
}

/**
 * Returns the weight function of the pod's preferences; undefined when it has none. As upstream, an invalid term fails
 * the attempt.
 */
function preferredWeights({ spec }: Pod): ((node: Node) => number) | undefined {
  const preferences = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  if (preferences == null) return undefined
  const preferred = parsePreferredTerms(preferences)
  if (preferred.kind === 'valid') return preferred.weightOf
  throw new PluginFailure(
    PLUGIN,
    'PreScore',
    `running PreScore plugin "${PLUGIN}": preferredDuringSchedulingIgnoredDuringExecution${preferred.problem}`,
  )
}

function score(
  pod: Pod,
  added: AddedAffinity,
  { rows, count }: Candidates,
  scores: Float64Array,
  { cluster }: EngineContext,
): void {
  const preferredWeightOf = preferredWeights(pod)
  for (let i = 0; i < count; i++) {
    const node = cluster.node(rows[i] ?? 0)
    scores[i] = (added.preferredWeightOf?.(node) ?? 0) + (preferredWeightOf?.(node) ?? 0)
  }
}
