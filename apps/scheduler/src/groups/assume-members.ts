import { decide } from '@berth/fit-engine'
import { assume, type AssumeContext } from '../cycle/assume-and-bind.ts'
import { stateVersion } from '../cycle/state-version.ts'
import type { GroupPlan } from './plan-group.ts'

/**
 * Assumes every placed member synchronously, so that no other pod takes their room. If the cluster has changed since
 * the plan was made, each member must still fit its node.
 *
 * @returns False when one of them no longer fits; then nothing is assumed, and the nominations are as before.
 * @throws EffectError BERTH_SCHEDULER_VOLUMES when the volumes of a member are no longer free; nothing is assumed then.
 */
export function assumeMembers(
  { placed, version }: Pick<Extract<GroupPlan, { kind: 'decided' }>, 'placed' | 'version'>,
  context: AssumeContext,
): boolean {
  const { view, volumes, assumedNodes, clock, random } = context
  const isUnchanged = stateVersion(view.state) === version
  const undoSteps: (() => void)[] = []
  let isComplete = false
  try {
    for (const { attempt, nodeName } of placed) {
      const { pod, info, profile } = attempt
      const fits = (): boolean =>
        decide(profile.framework, view.state, pod, {
          nowMs: clock.now(),
          random,
          nodeNames: [nodeName],
          score: false,
        }).feasible.length > 0
      // The member's own nomination, and those of members that were assumed before, must not count twice.
      const nominated = view.nominatedNode(info.pod)
      view.clearNomination(info.pod)
      if (nominated !== undefined) undoSteps.push(() => view.nominate(info.pod, nominated))
      if (!(isUnchanged || fits()) || !assume(attempt, nodeName, context)) return false
      undoSteps.push(() => {
        volumes.release(info.pod)
        view.forget(info.pod)
        assumedNodes.delete(info.key)
      })
    }
    isComplete = true
    return true
  } finally {
    if (!isComplete) for (const undo of undoSteps.toReversed()) undo()
  }
}
