import {
  type ClusterState,
  createFramework,
  decide,
  type Decision,
  type Framework,
  type HookMeter,
} from '@berth/fit-engine'
import { type DecidePlugin, type Pod, type Rejection, StatusCode } from '@berth/types'
import { filterByExtenders, scoreByExtenders, type ExtenderQuestion } from '../extenders/ask-extenders.ts'
import type { CandidateNodes, ExtenderClient } from '../extenders/extender-client.ts'
import type { Profile } from '../config/profile.ts'
import { EXTENDER_REJECTOR } from '../queue/requeue-hints.ts'

/** Where a pod is to go, or why it goes nowhere. */
export type Choice =
  | { readonly kind: 'chosen'; readonly nodeName: string }
  | {
      readonly kind: 'rejected'
      /** The sentence for the event: "0/3 nodes are available: …". */
      readonly message: string
      readonly rejectors: ReadonlySet<string>
      readonly rejected: ReadonlyMap<string, Rejection>
      /** What the engine said; undefined when it was not asked. */
      readonly decision: Decision | undefined
    }
  | { readonly kind: 'failed'; readonly message: string; readonly cause: unknown }

/** What choosing reads of the world. */
export interface ChoiceInput extends ExtenderQuestion {
  readonly state: ClusterState
  /** Every configured extender, in call order. */
  readonly extenders: readonly ExtenderClient[]
  readonly nowMs: number
  readonly random: () => number
  /** Absent: nobody wants to know how long plugins take. */
  readonly meter?: HookMeter
}

/**
 * Chooses a node: filters, extenders that filter, scores, extenders that prioritize, and one of the best at random.
 * When the cluster changed while extenders thought, the nodes are filtered again before one is taken.
 *
 * @throws ExtenderError when an extender fails that is not ignorable.
 */
export async function chooseNode(profile: Profile, pod: Pod, input: ChoiceInput): Promise<Choice> {
  const nominated = pod.status?.nominatedNodeName
  if (nominated !== undefined && nominated !== '' && input.state.rowOf(nominated) !== undefined) {
    const choice = await chooseAmong(profile, pod, { ...input, nodeNames: [nominated] })
    if (choice.kind === 'chosen') return choice
  }
  return chooseAmong(profile, pod, input)
}

type ScopedInput = ChoiceInput & { readonly nodeNames?: readonly string[] }

async function chooseAmong(profile: Profile, pod: Pod, input: ScopedInput): Promise<Choice> {
  const { state, nowMs, random, nodeNames, meter } = input
  const extenders = input.extenders.filter((extender) => extender.isInterestedIn(pod))
  const common = {
    nowMs,
    random,
    rejections: 'when-none-fits',
    score: 'when-several',
    ...(meter !== undefined && { meter }),
    ...(nodeNames !== undefined && { nodeNames }),
  } as const
  if (extenders.length === 0) {
    const decision = decide(profile.framework, state, pod, common)
    return outcome(decision, random)
  }
  const decision = decide(profile.framework, state, pod, common)
  if (decision.error !== undefined || decision.feasible.length === 0) return outcome(decision, random)
  const generation = state.generation
  const { passed, failed } = await filterByExtenders(extenders, pod, candidates(state, decision.feasible), input)
  if (passed.length === 0) {
    const framework = withExtenderVerdict(profile.framework, failed)
    return outcome(decide(framework, state, pod, { ...common, score: false }), random)
  }
  // Scores are normalised over the nodes that are left, so that fewer nodes need new scores.
  const isSame = passed.length === decision.feasible.length && state.generation === generation
  const scored = isSame ? decision : decide(profile.framework, state, pod, { nowMs, random, nodeNames: passed })
  if (scored.error !== undefined || scored.feasible.length < 2) return outcome(scored, random)
  const sums = await scoreByExtenders(extenders, pod, candidates(state, scored.feasible), input)
  if (state.generation === generation) {
    return { kind: 'chosen', nodeName: pick(highest(scored.feasible, scored.totals, sums), random) }
  }
  const now = decide(profile.framework, state, pod, { nowMs, random, nodeNames: scored.feasible })
  if (now.error !== undefined || now.feasible.length === 0) return outcome(now, random)
  return { kind: 'chosen', nodeName: pick(highest(now.feasible, now.totals, sums), random) }
}

function candidates(state: ClusterState, names: readonly string[]): CandidateNodes {
  return {
    names,
    node: (name) => {
      const row = state.rowOf(name)
      return row === undefined ? undefined : state.node(row)
    },
  }
}

function highest(
  names: readonly string[],
  totals: ReadonlyMap<string, number>,
  sums: ReadonlyMap<string, number>,
): readonly string[] {
  let best: string[] = []
  let bestTotal = -Infinity
  for (const name of names) {
    const total = (totals.get(name) ?? 0) + (sums.get(name) ?? 0)
    if (total < bestTotal) continue
    if (total > bestTotal) best = []
    bestTotal = total
    best.push(name)
  }
  return best
}

function pick(names: readonly string[], random: () => number): string {
  const name = names[Math.min(names.length - 1, Math.floor(random() * names.length))]
  if (name === undefined) throw new RangeError('nothing to pick from')
  return name
}

function outcome(decision: Decision, random: () => number): Choice {
  if (decision.error !== undefined) {
    return { kind: 'failed', message: decision.error.message, cause: decision.error.cause }
  }
  if (decision.feasible.length > 0) {
    return { kind: 'chosen', nodeName: decision.pickBest(random) ?? pick(decision.feasible, random) }
  }
  const rejected = new Map([...decision.rejected].map(([name, { rejection }]) => [name, rejection]))
  // Several preFilters that narrow together are named together.
  const names = [...rejected.values()].flatMap(({ plugin }) => plugin.split(', '))
  const rejectors = new Set(names.filter((name) => name !== ''))
  return { kind: 'rejected', message: decision.message, rejectors, rejected, decision }
}

/** The profile with what the extenders said as its last filter, so that the engine words the message. */
function withExtenderVerdict(
  framework: Framework,
  failed: ReadonlyMap<string, { readonly code: StatusCode; readonly reason: string }>,
): Framework {
  const verdict = {
    name: EXTENDER_REJECTOR,
    filter: (_pod, candidates, output, { cluster }) => {
      for (let i = 0; i < candidates.count; i++) {
        const failure = failed.get(cluster.nodeName(candidates.rows[i] ?? -1))
        output.reject(
          i,
          failure?.code ?? StatusCode.Unschedulable,
          failure?.reason ?? 'node(s) were not offered to extenders',
        )
      }
    },
  } satisfies DecidePlugin
  return createFramework({ plugins: [...framework.plugins, { plugin: verdict, weight: 0 }] })
}
