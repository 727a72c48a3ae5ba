import { decide } from '@berth/fit-engine'
import { judgeNodes, type RecordedFilter, type RecordedReasons } from '@berth/scheduler-config'
import { type CallDifference, PASSES, type ReplayedOn } from './call-difference.ts'

/**
 * Returns the nodes that pass or fail differently, and those whose reason changes. A reason also says whether preemption
 * helps, because kube-scheduler preempts on other nodes only.
 */
export function replayFilter(
  { pod, names, failed, unresolvable }: RecordedFilter,
  { profile, ignoredResources, state, nowMs, random }: ReplayedOn,
): CallDifference {
  const { framework } = profile
  const decision = decide(framework, state, pod, { nodeNames: names, nowMs, random, score: false })
  const verdicts = judgeNodes(decision, { names, framework, ignoredResources })
  const toEntries = (groups: typeof verdicts.failed): RecordedReasons =>
    groups.map(({ reason, nodeNames }) => [reason, nodeNames])
  const before = rejections(failed, unresolvable)
  const after = rejections(toEntries(verdicts.failed), toEntries(verdicts.unresolvable))
  return {
    passedBefore: names.length - before.size,
    passedAfter: verdicts.passed.length,
    nodes: names.flatMap((node) => {
      const [was, is] = [before.get(node) ?? PASSES, after.get(node) ?? PASSES]
      return was === is ? [] : [{ node, before: was, after: is }]
    }),
  }
}

function rejections(failed: RecordedReasons, unresolvable: RecordedReasons): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [reason, nodes] of failed) for (const node of nodes) texts.set(node, reason)
  for (const [reason, nodes] of unresolvable) for (const node of nodes) texts.set(node, `${reason} (unresolvable)`)
  return texts
}
