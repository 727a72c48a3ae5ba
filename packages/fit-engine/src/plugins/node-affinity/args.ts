import type { Node } from '@berth/types'
import type { NodeAffinityArgs } from '../../plugin-args.ts'
import { type NodeMatcher, nodeSelectorMatcher, nodeSelectorProblem } from '../../selectors/node-selector.ts'
import { parsePreferredTerms } from '../../selectors/preferred-terms.ts'
import { onlyFields, refuseArgs } from '../args/refuse-args.ts'

const PLUGIN = 'NodeAffinity'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** An affinity that the profile adds to that of every pod. */
export interface AddedAffinity {
  /** Undefined: every node is let through. */
  readonly isLetThrough: NodeMatcher | undefined
  /** Undefined: no node is preferred. */
  readonly weightOf: ((node: Node) => number) | undefined
}

/**
 * Checks the arguments. Unlike those of pods, their terms must all be valid.
 *
 * @throws ProfileError BERTH_FIT_ARGS naming the field.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
export function parseNodeAffinityArgs(args: NodeAffinityArgs = {}): AddedAffinity {
  onlyFields(PLUGIN, '', args, ['addedAffinity'])
  const affinity = args.addedAffinity ?? {}
  onlyFields(PLUGIN, 'addedAffinity', affinity, [REQUIRED, PREFERRED])
  const required = affinity[REQUIRED]
  const problem = required == null ? undefined : nodeSelectorProblem(required)
  if (problem !== undefined) refuseArgs(PLUGIN, `addedAffinity.${REQUIRED}`, problem)
  const preferences = affinity[PREFERRED] ?? []
  const preferred = preferences.length === 0 ? undefined : parsePreferredTerms(preferences)
  if (preferred?.kind === 'invalid') refuseArgs(PLUGIN, `addedAffinity.${PREFERRED}`, preferred.problem)
  return {
    isLetThrough: required == null ? undefined : nodeSelectorMatcher(required),
    weightOf: preferred?.weightOf,
  }
}
