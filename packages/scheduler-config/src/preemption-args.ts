import { ConfigError } from '@berth/process/errors'
import { z } from 'zod'
import type { PluginArgs } from './plugin-args.ts'

/** Name of the built-in plugin that preempts pods of lower priority. Its only extension point is postFilter. */
export const DEFAULT_PREEMPTION = 'DefaultPreemption'

const schema = z.strictObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  minCandidateNodesPercentage: z.int().min(0).max(100).default(10),
  minCandidateNodesAbsolute: z.int().min(0).default(100),
})

/** Number of candidate nodes that default preemption looks for: the larger of a percentage and an absolute number. */
export interface PreemptionArgs {
  readonly minCandidateNodesPercentage: number
  readonly minCandidateNodesAbsolute: number
}

/**
 * Reads the arguments of default preemption.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE naming the key.
 */
export function readPreemptionArgs(given: PluginArgs | undefined): PreemptionArgs {
  const parsed = schema.safeParse(given?.args ?? {})
  const reason = parsed.success
    ? emptySearchFault(parsed.data)
    : z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ')
  if (parsed.success && reason === undefined) return parsed.data
  throw new ConfigError(`read ${given?.path ?? ''}.args of ${DEFAULT_PREEMPTION}: ${reason}`, {
    code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
  })
}

function emptySearchFault({
  minCandidateNodesPercentage,
  minCandidateNodesAbsolute,
}: PreemptionArgs): string | undefined {
  const isNone = minCandidateNodesPercentage === 0 && minCandidateNodesAbsolute === 0
  return isNone ? 'minCandidateNodesPercentage and minCandidateNodesAbsolute cannot both be zero' : undefined
}

/** Returns how many candidates to look for among this number of nodes. */
export function candidateLimit(nodes: number, args: PreemptionArgs): number {
  const share = Math.floor((nodes * args.minCandidateNodesPercentage) / 100)
  return Math.min(nodes, Math.max(share, args.minCandidateNodesAbsolute))
}
