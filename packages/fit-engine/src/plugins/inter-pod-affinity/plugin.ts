import { type Pod, type PreFilterResult, type PreScoreResult, StatusCode } from '@berth/types'
import { incomingPod } from './incoming-pod.ts'
import { PreferredAffinity, stretchScores } from './preferred-affinity.ts'
import { RequiredAffinity } from './required-affinity.ts'
import type { EngineContext, EnginePlugin } from '../../framework/engine-plugin.ts'
import { type InterPodAffinityArgs, parseInterPodAffinityArgs } from './args.ts'

const REQUIRED = 'required'
const PREFERRED = 'preferred'

function requiredOf({ state }: EngineContext): RequiredAffinity | undefined {
  return state.get(REQUIRED) as RequiredAffinity | undefined
}

function preferredOf({ state }: EngineContext): PreferredAffinity | undefined {
  return state.get(PREFERRED) as PreferredAffinity | undefined
}

/**
 * Lets a pod onto nodes by what it wants of pods that are there, and by what these want of it; prefers nodes in the
 * same way.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (v1.36)
 */
export function interPodAffinity(args?: InterPodAffinityArgs): EnginePlugin {
  const { hardWeight, ignoresOthers } = parseInterPodAffinityArgs(args)
  return {
    name: 'InterPodAffinity',
    preFilter,
    filter: (_pod, candidates, output, context) => requiredOf(context)?.filter(candidates, output),
    addPod: (_pod, added, row, context) => requiredOf(context)?.change(added, row, 1),
    removePod: (_pod, removed, row, context) => requiredOf(context)?.change(removed, row, -1),
    preScore: (pod, _candidates, context) => {
      if (!hasPreferences(pod) && (ignoresOthers || context.cluster.indexes.affinityTerms.isEmpty))
        return { kind: 'skip' }
      return preScore(pod, hardWeight, context)
    },
    score: (_pod, candidates, scores, context) => preferredOf(context)?.score(candidates, scores),
    normalizeScore: (_pod, { count }, scores) => stretchScores(scores, count),
  }
}

function preFilter(pod: Pod, _candidates: unknown, { cluster, state }: EngineContext): PreFilterResult {
  const { affinity } = pod.spec
  const isAlone = affinity?.podAffinity == null && affinity?.podAntiAffinity == null
  if (isAlone && cluster.indexes.affinityTerms.isEmpty) return { kind: 'skip' }
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
  const wanted = affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const unwanted = affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return wanted.length > 0 || unwanted.length > 0
}

function preScore(pod: Pod, hardWeight: number, { cluster, state }: EngineContext): PreScoreResult {
  const incoming = incomingPod(pod, cluster)
  if (incoming.terms.problem !== undefined) throw new Error(`parsing pod: ${incoming.terms.problem}`)
  const preferred = new PreferredAffinity(cluster, incoming, hardWeight)
  if (preferred.isEmpty) return { kind: 'skip' }
  state.set(PREFERRED, preferred)
  return undefined
}
