import { type ObjectSchema, pluginArgsSchema } from '../args/args-schema.ts'
import { onlyFields, refuseArgs } from '../args/refuse-args.ts'

/** Name of the built-in plugin that preempts pods of lower priority. */
export const DEFAULT_PREEMPTION = 'DefaultPreemption'

/** `kubescheduler.config.k8s.io/v1` DefaultPreemptionArgs. */
export interface DefaultPreemptionArgs {
  readonly minCandidateNodesPercentage?: number
  readonly minCandidateNodesAbsolute?: number
}

/** JSON Schema of {@link DefaultPreemptionArgs}. */
export const defaultPreemptionArgsSchema: ObjectSchema = pluginArgsSchema({
  minCandidateNodesPercentage: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Share of the nodes among which preemption looks for candidates. Default: 10.',
  },
  minCandidateNodesAbsolute: {
    type: 'integer',
    minimum: 0,
    description: 'Minimum number of candidates that preemption looks for, if there are that many nodes. Default: 100.',
  },
})

/** Number of candidate nodes that default preemption looks for: the larger of a percentage and an absolute number. */
export type PreemptionArgs = Required<DefaultPreemptionArgs>

/**
 * Checks the arguments and fills in upstream's defaults.
 *
 * @throws ProfileError BERTH_FIT_ARGS naming the fields.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
export function parseDefaultPreemptionArgs(args: DefaultPreemptionArgs = {}): PreemptionArgs {
  const fields = ['minCandidateNodesPercentage', 'minCandidateNodesAbsolute'] as const
  onlyFields(DEFAULT_PREEMPTION, '', args, fields)
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = args
  if (minCandidateNodesPercentage === 0 && minCandidateNodesAbsolute === 0) {
    refuseArgs(DEFAULT_PREEMPTION, fields.join(' and '), 'cannot both be zero')
  }
  return { minCandidateNodesPercentage, minCandidateNodesAbsolute }
}

/** Returns how many candidates to look for among this number of nodes. */
export function candidateLimit(nodes: number, args: PreemptionArgs): number {
  const share = Math.floor((nodes * args.minCandidateNodesPercentage) / 100)
  return Math.min(nodes, Math.max(share, args.minCandidateNodesAbsolute))
}
