/** Nodes whose units of a resource are all free stay so while pods fit elsewhere. */
import { MAX_NODE_SCORE, defineSchedulingPlugin, requestedResources } from '@berth/plugin-api'
import type { DecideContext, SchedulingPlugin } from '@berth/plugin-api'
import { type WholeNodesArgs, argsSchema } from './args.ts'

/** Highest score of a node that the pod would break up. The gap to 100 keeps such nodes behind all others. */
const MAX_BROKEN_SCORE = 40

/** Scores a node low if all its units are free and the pod would take only some of them. */
export const plugin: SchedulingPlugin<WholeNodesArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'whole-nodes',
  description:
    'Avoids nodes whose units of a resource are all free, unless the pod takes all of them or fits nowhere else.',
  argsSchema,
  create({ resources }) {
    const kept = resources.map((name) => ({ name }))
    return {
      preScore: (pod, _candidates, { cluster }) =>
        requestedResources(pod, kept, cluster).length === 0 ? { kind: 'skip' } : undefined,
      score(pod, { rows, count }, scores, { cluster }) {
        const requested = requestedResources(pod, kept, cluster)
        for (const [position, resource] of requested.entries()) {
          let largest = 1n
          for (let i = 0; i < count; i++) {
            const allocatable = cluster.allocatable(rows[i] ?? -1, resource.name)
            if (allocatable > largest) largest = allocatable
          }
          for (let i = 0; i < count; i++) {
            const score = scoreOf(rows[i] ?? -1, resource, largest, cluster)
            scores[i] = position === 0 ? score : Math.min(scores[i] ?? 0, score)
          }
        }
      },
    }
  },
})

/** Returns the score for one resource: among nodes that would be broken up, smaller ones score higher. */
function scoreOf(
  row: number,
  { name, units }: { readonly name: string; readonly units: bigint },
  largest: bigint,
  cluster: DecideContext['cluster'],
): number {
  const allocatable = cluster.allocatable(row, name)
  const isWhole = allocatable > 0n && cluster.requested(row, name) === 0n
  if (!isWhole || units >= allocatable) return MAX_NODE_SCORE
  return Math.floor(MAX_BROKEN_SCORE * (1 - Number(allocatable) / Number(largest)))
}
