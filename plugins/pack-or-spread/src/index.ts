/** Bin-packing or spreading of single resources. */
import { MAX_NODE_SCORE, defineSchedulingPlugin, requestedResources } from '@berth/plugin-api'
import type { Candidates, DecideContext, Pod, SchedulingPlugin } from '@berth/plugin-api'
import { type PackOrSpreadArgs, argsSchema } from './args.ts'

/** Scores a node by how much of each named resource is used there once the pod runs on it. */
export const plugin: SchedulingPlugin<PackOrSpreadArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'pack-or-spread',
  description: 'Prefers nodes on which a resource is used most (pack) or least (spread).',
  argsSchema,
  create: ({ resources }) => ({
    preScore: (pod, _candidates, { cluster }) =>
      requestedResources(pod, resources, cluster).length === 0 ? { kind: 'skip' } : undefined,
    score(pod: Pod, { rows, count }: Candidates, scores: Float64Array, { cluster }: DecideContext) {
      const requested = requestedResources(pod, resources, cluster)
      const weights = requested.reduce((sum, { weight }) => sum + weight, 0)
      for (let i = 0; i < count; i++) {
        const row = rows[i] ?? -1
        let sum = 0
        for (const { name, mode, weight, units } of requested) {
          const used = usedShare(cluster.requested(row, name) + units, cluster.allocatable(row, name))
          if (used !== undefined) sum += weight * (mode === 'pack' ? used : 1 - used)
        }
        scores[i] = Math.floor((MAX_NODE_SCORE * sum) / weights)
      }
    },
  }),
})

/** Returns the used share from 0 to 1; undefined for a node that does not offer the resource. */
function usedShare(used: bigint, allocatable: bigint): number | undefined {
  return allocatable <= 0n ? undefined : Math.min(1, Number(used) / Number(allocatable))
}
