import type { Oracle } from '../oracle-process.ts'
import { compareOutcomes, type Difference } from './compare-outcomes.ts'
import type { History } from './history.ts'
import { podsLeftBehind } from './pods-left-behind.ts'
import { type Contestant, type Outcome, runHistory } from './run-history.ts'

/** Further runs of kube-scheduler before a difference counts, because two runs may agree by chance. */
const FURTHER_RUNS = 14

/** The schedulers of a comparison, each alone on its own cluster. */
export interface Contestants {
  readonly berth: Contestant
  /** The same kube-scheduler twice; the second breaks ties of scores at random. */
  readonly kube: readonly [Contestant, Contestant]
  readonly oracle: Oracle
}

/**
 * The result of comparing the schedulers on one history. `undecided`: runs of kube-scheduler differ from each other, so
 * that the history shows nothing about Berth.
 */
export interface Comparison {
  readonly verdict: 'equal' | 'different' | 'undecided'
  /** How Berth differs from kube-scheduler; for an undecided history, how two runs of kube-scheduler differ. */
  readonly difference?: Difference
  /** Whether kube-scheduler disagreed with itself only in further runs, after it differed from Berth. */
  readonly neededFurtherRuns: boolean
  /** Pods that Berth left pending at the end although they fit a node. */
  readonly leftBehind: readonly string[]
}

/**
 * Runs a history with Berth and twice with kube-scheduler.
 *
 * @throws Error when a scheduler exits or does not come to rest.
 */
export async function compareSchedulers(contestants: Contestants, history: History): Promise<Comparison> {
  const { berth, kube, oracle } = contestants
  const [own, first, second] = (await runHistory([berth, ...kube], history)) as [Outcome, Outcome, Outcome]
  const leftBehind = await podsLeftBehind(berth.cluster, oracle)
  const disagreement = compareOutcomes(first, second)
  if (disagreement !== undefined) {
    return { verdict: 'undecided', difference: disagreement, neededFurtherRuns: false, leftBehind }
  }
  const difference = compareOutcomes(first, own)
  if (difference === undefined) return { verdict: 'equal', neededFurtherRuns: false, leftBehind }
  const further = await disagreementWith(first, contestants, history)
  return further === undefined
    ? { verdict: 'different', difference, neededFurtherRuns: true, leftBehind }
    : { verdict: 'undecided', difference: further, neededFurtherRuns: true, leftBehind }
}

/**
 * Repeats the history until a run of kube-scheduler differs from `expected`, at most {@link FURTHER_RUNS} runs. Berth
 * runs too, so that the steps have the same pace: each waits for the slowest scheduler. Returns undefined when no run
 * differs.
 */
async function disagreementWith(
  expected: Outcome,
  { berth, kube }: Contestants,
  history: History,
): Promise<Difference | undefined> {
  for (let run = 0; run < FURTHER_RUNS; run += kube.length) {
    const [, ...outcomes] = await runHistory([berth, ...kube], history)
    const found = outcomes.map((outcome) => compareOutcomes(expected, outcome)).find((other) => other !== undefined)
    if (found !== undefined) return found
  }
  return undefined
}
