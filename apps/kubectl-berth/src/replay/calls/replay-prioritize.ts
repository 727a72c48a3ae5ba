import { decide } from '@berth/fit-engine'
import { type RecordedPrioritize, scoreNodes } from '@berth/scheduler-config'
import { type CallDifference, type ReplayedOn } from './call-difference.ts'

/** A change of a weight may change the rank of each of 5,000 nodes. kube-scheduler chooses among the first ones. */
const MAX_NODES = 10

/** Returns the nodes whose rank changes, those with the best ranks first. */
export function replayPrioritize(
  { pod, names, scores }: RecordedPrioritize,
  { profile, state, nowMs, random }: ReplayedOn,
): CallDifference {
  const decision = decide(profile.framework, state, pod, { nodeNames: names, nowMs, random, score: true })
  const after = scoreNodes(decision, names, profile)
  const [ranksBefore, ranksAfter] = [ranksOf(scores), ranksOf(after)]
  const changed = names.flatMap((node, i) => {
    const [was, is] = [ranksBefore[i] ?? 0, ranksAfter[i] ?? 0]
    if (was === is) return []
    const texts = { before: rankText(was, scores[i] ?? 0), after: rankText(is, after[i] ?? 0) }
    return [{ best: Math.min(was, is), verdict: { node, ...texts } }]
  })
  const nodes = changed.toSorted((a, b) => a.best - b.best).map(({ verdict }) => verdict)
  const moreNodes = Math.max(0, nodes.length - MAX_NODES)
  return { nodes: nodes.slice(0, MAX_NODES), ...(moreNodes > 0 && { moreNodes }) }
}

/** Returns the rank of each score: one more than the number of higher scores. */
function ranksOf(scores: ArrayLike<number>): readonly number[] {
  const ranks = new Map<number, number>()
  Array.from(scores)
    .toSorted((a, b) => b - a)
    .forEach((score, i) => ranks.has(score) || ranks.set(score, i + 1))
  return Array.from(scores, (score) => ranks.get(score) ?? 0)
}

function rankText(rank: number, score: number): string {
  return `rank ${rank} (score ${score})`
}
