import { StatusCode, defineSchedulingPlugin } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'
import { type ChaosArgs, chaosShape, draw, isSelected } from './chaos-args.ts'

/** Arguments of chaos-coin-flip. */
export interface CoinFlipArgs extends ChaosArgs {
  readonly headsProbability: number
  readonly minNodes: number
}

const argsSchema = z.strictObject({
  headsProbability: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('Probability that a node passes, from 0 (never) to 1 (always).'),
  minNodes: z
    .int()
    .min(0)
    .default(0)
    .describe('Number of nodes that pass even on tails, so that a pod that fits somewhere is not held back.'),
  ...chaosShape,
})

/**
 * The filter of the book's chaos extender: flips a coin for each node and rejects the node on tails. A rejection is
 * Unschedulable and not UnschedulableAndUnresolvable, because the next attempt flips again. The rejection text is the
 * book's.
 */
export const coinFlip: SchedulingPlugin<CoinFlipArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'chaos-coin-flip',
  description: 'Flips a coin for each node and rejects the node on tails.',
  argsSchema,
  create: (args) => ({
    preFilter: (pod) => (isSelected(pod, args) ? undefined : { kind: 'skip' }),
    filter(pod, { rows, count }, output, context) {
      const nameOf = (i: number): string => context.cluster.nodeName(rows[i] ?? -1)
      const draws = Array.from({ length: count }, (_, i) => draw(pod, nameOf(i), args, context))
      const tails = [...draws.keys()].filter((i) => (draws[i] ?? 0) >= args.headsProbability)
      // Those closest to heads pass first.
      const missing = Math.max(0, args.minNodes - (count - tails.length))
      const rejected =
        missing === 0 ? tails : tails.toSorted((a, b) => (draws[a] ?? 0) - (draws[b] ?? 0)).slice(missing)
      const podName = pod.metadata.name ?? 'pod'
      for (const i of rejected.toSorted((a, b) => a - b)) {
        const reason = `${podName} cannot be scheduled to ${nameOf(i)}: coin is tails`
        output.reject(i, StatusCode.Unschedulable, reason)
      }
    },
  }),
})
