import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments of chaos-coin-flip. */
export interface CoinFlipArgs {
  readonly headsProbability: number
}

const argsSchema = z.strictObject({
  headsProbability: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('Probability that a node passes, from 0 (never) to 1 (always).'),
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
  create: ({ headsProbability }) =>
    perNode({
      filter: (pod, node, { random }) =>
        random() < headsProbability
          ? undefined
          : `${pod.metadata.name ?? 'pod'} cannot be scheduled to ${node.name}: coin is tails`,
    }),
})
