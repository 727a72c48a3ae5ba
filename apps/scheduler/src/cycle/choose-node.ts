import {
  type ClusterState,
  decide,
  type DecideOptions,
  type Decision,
  type DecisionError,
  drawIndex,
  type EvaluationCounter,
  type HookMeter,
  type NodeRejection,
  rejectFeasibleNodes,
} from '@berth/fit-engine'
import { type Pod, type Rejection, StatusCode } from '@berth/types'
import type { Profile } from '@berth/scheduler-config'
import type { CandidateNodes, ExtenderClient } from '../extenders/extender-client.ts'
import { type ExtenderFiltering, filterByExtenders } from '../extenders/filter-by-extenders.ts'
import type { ExtenderCallContext } from '../extenders/observe-call.ts'
import { scoreByExtenders } from '../extenders/score-by-extenders.ts'
import { EXTENDER_REJECTOR } from '../queue/rejectors.ts'
import { stateVersion } from './state-version.ts'

/** The result of choosing a node: the node, the rejections of all nodes, or an error. */
export type Choice =
  /** The pod was deleted or bound by another scheduler while its node was chosen. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'chosen'; readonly nodeName: string }
  | {
      readonly kind: 'rejected'
      /** The sentence for the event: "0/3 nodes are available: …". */
      readonly message: string
      readonly rejectors: ReadonlySet<string>
      /** Returns the rejection of each node by name. */
      readonly rejected: () => ReadonlyMap<string, Rejection>
      /** The decision of the engine; undefined when the engine did not decide. */
      readonly decision: Decision | undefined
    }
  | ({ readonly kind: 'failed' } & DecisionError)

/** Options of {@link chooseNode}. */
export interface ChooseNodeOptions extends ExtenderCallContext {
  readonly state: ClusterState
  /** Every configured extender, in call order. */
  readonly extenders: readonly ExtenderClient[]
  readonly nowMs: number
  readonly random: () => number
  /** The nodes that are chosen only if no other node fits. */
  readonly avoided: ReadonlySet<string> | undefined
  /**
   * Takes the room on the chosen node. Called synchronously after the decision, so that no other attempt takes the room
   * in between. Returns false when the pod no longer needs a node.
   */
  readonly assume: (nodeName: string) => boolean
  /** Omit to skip plugin timing. */
  readonly meter?: HookMeter
  readonly evaluations: EvaluationCounter
}

/**
 * Chooses a node: runs the filters, the filtering extenders, the scores and the prioritizing extenders, then picks one
 * of the best nodes at random, and assumes the pod there. The node that the pod is nominated for is tried first.
 * Resolves without waiting when no extender is interested in the pod.
 *
 * @throws ExtenderError when an extender fails that is not ignorable.
 */
export async function chooseNode(profile: Profile, pod: Pod, options: ChooseNodeOptions): Promise<Choice> {
  const nominated = pod.status?.nominatedNodeName
  const isUsable = nominated !== undefined && options.state.rowOf(nominated) !== undefined
  if (isUsable && options.avoided?.has(nominated) !== true) {
    const choice = await chooseAmong([nominated], profile, pod, options)
    if (choice.kind === 'chosen' || choice.kind === 'abandoned') return choice
  }
  return chooseAmong(undefined, profile, pod, options)
}

/** Chooses among the named nodes, or among all nodes if `nodeNames` is undefined. */
async function chooseAmong(
  nodeNames: readonly string[] | undefined,
  profile: Profile,
  pod: Pod,
  options: ChooseNodeOptions,
): Promise<Choice> {
  const { state, nowMs, random, meter, evaluations, assume, avoided } = options
  const decideWith = (settings: Partial<DecideOptions>): Decision =>
    decide(profile.framework, state, pod, { nowMs, random, evaluations, ...settings })
  const conclude = (decision: Decision, extenderScores?: ReadonlyMap<string, number>): Choice => {
    const choice = choiceOf(decision, random, { avoided, extenderScores })
    if (choice.kind !== 'chosen') return choice
    decision.release()
    return assume(choice.nodeName) ? choice : { kind: 'abandoned' }
  }
  // Only passes over all candidates are timed.
  const firstPass = { ...(nodeNames !== undefined && { nodeNames }), ...(meter !== undefined && { meter }) }
  const first = decideWith({ ...firstPass, rejections: 'when-none-fits', score: 'when-several' })
  const extenders = options.extenders.filter((extender) => extender.isInterestedIn(pod))
  if (extenders.length === 0 || !hasFeasible(first)) return conclude(first)

  const version = stateVersion(state)
  const { failed, passed } = await filterByExtenders(extenders, pod, candidates(state, first.feasible), options)
  // Decides again over all candidates, so that the reasons and the rejectors of every node are known.
  const rejectAll = (): Choice => {
    const choice = choiceOf(rejectByExtenders(decideWith({ ...firstPass, score: false }), failed, profile), random)
    if (choice.kind !== 'rejected' || passed.length === first.feasible.length) return choice
    return { ...choice, rejectors: new Set([...choice.rejectors, EXTENDER_REJECTOR]) }
  }
  if (passed.length === 0) return rejectAll()
  // Scores are normalized over the remaining nodes, so they change when extenders reject nodes. If the cluster changed
  // while the extenders were called, the filters run again, too.
  const isSame = passed.length === first.feasible.length && stateVersion(state) === version
  const scored = isSame ? first : decideWith({ nodeNames: passed })
  if (isRejected(scored)) return rejectAll()
  if (scored.error !== undefined || scored.feasible.length < 2) return conclude(scored)

  const scoredVersion = stateVersion(state)
  const extenderScores = await scoreByExtenders(extenders, pod, candidates(state, scored.feasible), options)
  const latest = stateVersion(state) === scoredVersion ? scored : decideWith({ nodeNames: passed })
  return isRejected(latest) ? rejectAll() : conclude(latest, extenderScores)
}

function isRejected({ error, feasibleCount }: Decision): boolean {
  return error === undefined && feasibleCount === 0
}

function hasFeasible({ error, feasibleCount }: Decision): boolean {
  return error === undefined && feasibleCount > 0
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

/** Returns the decision with every feasible node rejected by the extenders. */
function rejectByExtenders(decision: Decision, failed: ExtenderFiltering['failed'], { framework }: Profile): Decision {
  const rejectionOf = (nodeName: string): NodeRejection => {
    const { code, reason } = failed.get(nodeName) ?? {
      code: StatusCode.Unschedulable,
      // The node became feasible while the extenders were called.
      reason: 'node(s) were not offered to extenders',
    }
    return { code, rejection: { plugin: EXTENDER_REJECTOR, reasons: [reason] } }
  }
  return rejectFeasibleNodes(decision, rejectionOf, framework)
}

/** Returns the feasible nodes with the highest sum of plugin and extender scores. */
function highest(
  { feasible, totals }: Pick<Decision, 'feasible' | 'totals'>,
  extenderScores: ReadonlyMap<string, number> | undefined,
): readonly string[] {
  let best: string[] = []
  let bestTotal = -Infinity
  for (const name of feasible) {
    const total = (totals.get(name) ?? 0) + (extenderScores?.get(name) ?? 0)
    if (total < bestTotal) continue
    if (total > bestTotal) best = []
    bestTotal = total
    best.push(name)
  }
  return best
}

function pick(names: readonly string[], random: () => number): string {
  const name = names[drawIndex(names.length, random)]
  if (name === undefined) throw new RangeError('nothing to pick from')
  return name
}

/** Preferences among feasible nodes, in addition to the decision. */
interface Preferences {
  readonly avoided?: ReadonlySet<string> | undefined
  readonly extenderScores?: ReadonlyMap<string, number> | undefined
}

function choiceOf(decision: Decision, random: () => number, { avoided, extenderScores }: Preferences = {}): Choice {
  if (decision.error !== undefined) {
    return { kind: 'failed', ...decision.error }
  }
  if (decision.feasibleCount > 0) {
    const others = avoided === undefined ? [] : decision.feasible.filter((name) => !avoided.has(name))
    if (others.length > 0 || extenderScores !== undefined) {
      const { totals } = decision
      const feasible = others.length > 0 ? others : decision.feasible
      return { kind: 'chosen', nodeName: pick(highest({ feasible, totals }, extenderScores), random) }
    }
    return { kind: 'chosen', nodeName: decision.pickBest(random) ?? pick(decision.feasible, random) }
  }
  const rejected = (): ReadonlyMap<string, Rejection> =>
    new Map([...decision.rejected].map(([name, { rejection }]) => [name, rejection]))
  // If several preFilters together exclude a node, `plugin` lists their names separated by commas.
  const names = decision.rejectionGroups.flatMap(({ plugin }) => plugin.split(', '))
  const rejectors = new Set(names.filter((name) => name !== ''))
  return { kind: 'rejected', message: decision.message, rejectors, rejected, decision }
}
