import { type Pod, type PreFilterResult, type PreScoreResult, StatusCode } from '@berth/types'
import { podAffinityCauses } from './causes.ts'
import { incomingPod } from './incoming-pod.ts'
import { PreferredAffinity, normalizeToRange } from './preferred-affinity.ts'
import { RequiredAffinity } from './required-affinity.ts'
import type { EngineContext, EnginePlugin } from '../../framework/engine-plugin.ts'
import { type InterPodAffinityArgs, parseInterPodAffinityArgs } from './args.ts'
import { interPodAffinityTopics } from './hint.ts'

const REQUIRED = 'required'
const PREFERRED = 'preferred'

function requiredOf({ state }: EngineContext): RequiredAffinity | undefined {
  return state.get(REQUIRED) as RequiredAffinity | undefined
}

function preferredOf({ state }: EngineContext): PreferredAffinity | undefined {
  return state.get(PREFERRED) as PreferredAffinity | undefined
}

/**
 * Filters and scores nodes by the pod's affinity and anti-affinity to existing pods, and by theirs to the pod.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (v1.36)
 */
export function interPodAffinity(args?: InterPodAffinityArgs): EnginePlugin {
  const { hardWeight, ignoresExistingPreferences } = parseInterPodAffinityArgs(args)
  return {
    name: 'InterPodAffinity',
    eventTopics: () => interPodAffinityTopics,
    preFilter,
    filter: (_pod, candidates, output, context) => requiredOf(context)?.filter(candidates, output),
    causes: podAffinityCauses,
    addPod: (_pod, added, row, context) => requiredOf(context)?.updateCounts(added, row, 1),
    removePod: (_pod, removed, row, context) => requiredOf(context)?.updateCounts(removed, row, -1),
    preScore: (pod, _candidates, context) => {
      if (!hasPreferences(pod) && (ignoresExistingPreferences || context.cluster.indexes.affinityTerms.isEmpty))
        return { kind: 'skip' }
      return preScore(pod, hardWeight, context)
    },
    score: (_pod, candidates, scores, context) => preferredOf(context)?.score(candidates, scores),
    normalizeScore: (_pod, { count }, scores) => normalizeToRange(scores, count),
  }
}

function preFilter(pod: Pod, _candidates: unknown, { cluster, state }: EngineContext): PreFilterResult {
  const { affinity } = pod.spec
  const hasNoPodAffinity = affinity?.podAffinity == null && affinity?.podAntiAffinity == null
  if (hasNoPodAffinity && cluster.indexes.affinityTerms.isEmpty) return { kind: 'skip' }
  const incoming = incomingPod(pod, cluster)
  const { problem } = incoming.terms
  if (problem !== undefined) {
    return { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons: [`parsing pod: ${problem}`] }
  }
  const required = new RequiredAffinity(cluster, incoming)
  if (required.isEmpty) return { kind: 'skip' }
  state.set(REQUIRED, required)
  return undefined
}

function hasPreferences({ spec: { affinity } }: Pod): boolean {
  const affinityTerms = affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const antiAffinityTerms = affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return affinityTerms.length > 0 || antiAffinityTerms.length > 0
}

function preScore(pod: Pod, hardWeight: number, { cluster, state }: EngineContext): PreScoreResult {
  const incoming = incomingPod(pod, cluster)
  if (incoming.terms.problem !== undefined) throw new Error(`parsing pod: ${incoming.terms.problem}`)
  const preferred = new PreferredAffinity(cluster, incoming, hardWeight)
  if (preferred.isEmpty) return { kind: 'skip' }
  state.set(PREFERRED, preferred)
  return undefined
}
