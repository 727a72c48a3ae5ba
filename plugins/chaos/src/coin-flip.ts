import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments of chaos-coin-flip. */
export interface CoinFlipArgs {
  readonly headsProbability: number
}

const argsSchema = z.strictObject({
  headsProbability: z.number().min(0).max(1).default(0.5).describe('How often a node passes: 0 never, 1 always.'),
})

/**
 * The filter of the book's chaos extender: flips a coin for each node, and lets it pass on heads. The next attempt
 * flips again, so a rejection is Unschedulable and never final. The sentence is the book's.
 */
export const coinFlip: SchedulingPlugin<CoinFlipArgs> = defineSchedulingPlugin({
  name: 'chaos-coin-flip',
  description: 'Flips a coin for each node and filters it out on tails.',
  argsSchema,
  create: ({ headsProbability }) =>
    perNode({
      filter: (pod, node, { random }) =>
        random() < headsProbability
          ? undefined
          : `${pod.metadata.name ?? 'pod'} cannot be scheduled to ${node.name}: coin is tails`,
    }),
})
