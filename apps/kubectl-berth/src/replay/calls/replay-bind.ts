import { decide } from '@berth/fit-engine'
import { misfitOf, type RecordedBind } from '@berth/scheduler-config'
import { type CallDifference, NO_DIFFERENCE, PASSES, type ReplayedOn } from './call-difference.ts'

/** Returns the node of a bind call that is refused for another reason, or is refused in one of the two cases only. */
export function replayBind(
  { pod, node, reason }: RecordedBind,
  { profile, state, nowMs, random }: ReplayedOn,
): CallDifference {
  const decision = decide(profile.framework, state, pod, { nodeNames: [node], nowMs, random, score: false })
  const after = misfitOf(decision, node) ?? ''
  if (after === reason) return NO_DIFFERENCE
  return { nodes: [{ node, before: reason || PASSES, after: after || PASSES }] }
}
