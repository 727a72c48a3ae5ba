import type { ClusterSnapshot } from '@berth/cluster-view'
import { explain, type Explanation, isOffered, unsupportedFeatures } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import type { Terminal } from '../cli/terminal.ts'
import { CommandError } from '../errors.ts'
import { heldBack } from '../profile/held-back.ts'
import type { Profiles } from '../profile/load-profiles.ts'
import { evaluablePod } from './evaluable-pod.ts'
import { podAnswer, type PodAnswer } from './pod-answer.ts'
import type { FixTarget } from './recipes/fix-recipe.ts'

/** The objects on which a pod is decided, and which of them could not be listed. */
type DecidableSnapshot = Pick<ClusterSnapshot, 'state' | 'forbidden' | 'fallbackNamespace'>

/**
 * Decides on a pod as if it were not bound.
 *
 * @throws CommandError BERTH_KUBECTL_JUDGE when a plugin failed.
 */
export function decideOnSnapshot(
  pod: Pod,
  snapshot: DecidableSnapshot,
  profiles: Profiles,
  { clock, random }: Pick<Terminal, 'clock' | 'random'>,
): Explanation {
  const without = snapshot.state.fork()
  without.deletePod(pod)
  const { framework } = profiles.profileOf(pod)
  const explanation = explain(framework, without, unplaced(evaluablePod(pod, snapshot).pod), {
    nowMs: clock.now(),
    random,
  })
  const { error } = explanation.decision
  if (error === undefined) return explanation
  throw new CommandError(`explain pod ${pod.metadata.name ?? ''}: plugin ${error.plugin} failed: ${error.message}`, {
    code: 'BERTH_KUBECTL_JUDGE',
    cause: error.cause,
  })
}

/** Returns the answer about a pod from an explanation of it, or of a pod that decides alike. */
export function answerFor(
  target: FixTarget,
  snapshot: DecidableSnapshot,
  profiles: Profiles,
  explanation: Explanation,
): PodAnswer {
  const { pod } = target
  const { state } = snapshot
  const profile = profiles.profileOf(pod)
  const unsupported = [
    ...evaluablePod(pod, snapshot).leftOut,
    ...unsupportedFeatures(pod, state.objects, (name) => isOffered(state, name)),
  ]
  const hold = heldBack(profile, unplaced(pod))
  return {
    ...podAnswer(explanation, target, [...unsupported, ...profiles.notRun(profile)]),
    ...(hold !== undefined && { heldBack: hold }),
  }
}

function unplaced(pod: Pod): Pod {
  const { nodeName: _, ...spec } = pod.spec
  return { ...pod, spec }
}
