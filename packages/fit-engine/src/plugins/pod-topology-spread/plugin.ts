import type { Candidates, Pod } from '@berth/types'
import type { EngineContext, EnginePlugin } from '../../framework/engine-plugin.ts'
import { HardSpread } from './hard-spread.ts'
import { SoftSpread } from './soft-spread.ts'
import { spreadConstraints, type SpreadDefaults } from './spread-constraints.ts'
import { parseSpreadArgs, type PodTopologySpreadArgs } from './args.ts'
import { spreadCauses } from './causes.ts'
import { podTopologySpreadTopics } from './hint.ts'

const HARD = 'hard'
const SOFT = 'soft'

function hardOf({ state }: EngineContext): HardSpread | undefined {
  return state.get(HARD) as HardSpread | undefined
}

function softOf({ state }: EngineContext): SoftSpread | undefined {
  return state.get(SOFT) as SoftSpread | undefined
}

/**
 * Spreads pods over topology domains: filters nodes on which the pod would exceed the maximum skew, and prefers domains
 * with few matching pods.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/podtopologyspread/plugin.go (v1.36)
 */
export function podTopologySpread(args?: PodTopologySpreadArgs): EnginePlugin {
  const defaults = parseSpreadArgs(args)
  return {
    name: 'PodTopologySpread',
    eventTopics: podTopologySpreadTopics,
    preFilter: (pod, _candidates, { cluster, state }) => {
      const constraints = spreadConstraints(pod, 'DoNotSchedule', defaults, cluster.objects)
      if (constraints.length === 0) return { kind: 'skip' }
      state.set(HARD, new HardSpread(cluster, pod, constraints))
      return undefined
    },
    filter: (_pod, candidates, output, context) => hardOf(context)?.filter(candidates, output),
    causes: (pod, cluster) => spreadCauses(pod, defaults, cluster),
    addPod: (_pod, added, row, context) => hardOf(context)?.updateCounts(added, row, context.cluster.node(row), 1),
    removePod: (_pod, removed, row, context) =>
      hardOf(context)?.updateCounts(removed, row, context.cluster.node(row), -1),
    preScore: (pod, candidates, context) => preScore(pod, candidates, defaults, context),
    score: (_pod, candidates, scores, context) => softOf(context)?.score(candidates, scores),
    normalizeScore: (_pod, candidates, scores, context) => softOf(context)?.normalize(candidates, scores),
  }
}

function preScore(
  pod: Pod,
  feasible: Candidates,
  defaults: SpreadDefaults,
  { cluster, state }: EngineContext,
): { readonly kind: 'skip' } | undefined {
  const constraints = spreadConstraints(pod, 'ScheduleAnyway', defaults, cluster.objects)
  if (constraints.length === 0) return { kind: 'skip' }
  const needsAllKeys = (pod.spec.topologySpreadConstraints ?? []).length > 0 || !defaults.isSystem
  state.set(SOFT, new SoftSpread(cluster, pod, constraints, { feasible, needsAllKeys }))
  return undefined
}
