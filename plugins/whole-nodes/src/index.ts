/** Nodes whose units of a resource are all free stay so while pods fit elsewhere. */
import { MAX_NODE_SCORE, defineSchedulingPlugin } from '@berth/plugin-api'
import type { DecideContext, SchedulingPlugin } from '@berth/plugin-api'
import { type WholeNodesArgs, argsSchema } from './args.ts'

/** A resource that the pod requests. */
interface Requested {
  readonly name: string
  readonly units: bigint
}

const STATE_KEY = 'requested'
/** Highest score of a node that the pod would break up. The gap to 100 keeps such nodes behind all others. */
const MAX_BROKEN_SCORE = 40

/** Scores a node low if all its units are free and the pod would take only some of them. */
export const plugin: SchedulingPlugin<WholeNodesArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'whole-nodes',
  description:
    'Avoids nodes whose units of a resource are all free, unless the pod takes all of them or fits nowhere else.',
  argsSchema,
  create: ({ resources }) => ({
    preScore(pod, _candidates, { cluster, state }) {
      const requested = resources.flatMap((name): readonly Requested[] => {
        const units = cluster.requestOf(pod, name)
        return units > 0n ? [{ name, units }] : []
      })
      state.set(STATE_KEY, requested)
      return requested.length === 0 ? { kind: 'skip' } : undefined
    },
    score(_pod, { rows, count }, scores, { cluster, state }) {
      const requested = (state.get(STATE_KEY) ?? []) as readonly Requested[]
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
  }),
})

/** Returns the score for one resource: among nodes that would be broken up, smaller ones score higher. */
function scoreOf(row: number, { name, units }: Requested, largest: bigint, cluster: DecideContext['cluster']): number {
  const allocatable = cluster.allocatable(row, name)
  const isWhole = allocatable > 0n && cluster.requested(row, name) === 0n
  if (!isWhole || units >= allocatable) return MAX_NODE_SCORE
  return Math.floor(MAX_BROKEN_SCORE * (1 - Number(allocatable) / Number(largest)))
}
