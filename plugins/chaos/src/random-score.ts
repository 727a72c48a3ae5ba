import { MAX_NODE_SCORE, defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'
import { type ChaosArgs, chaosShape, draw, isSelected } from './chaos-args.ts'

/**
 * A safe version of the book's chaos scheduler. The book's scheduler picked any node, even if the pod did not fit. Here
 * every node that passed the filters gets a random score, so that all are equally likely when no other plugin scores.
 */
export const randomScore: SchedulingPlugin<ChaosArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'chaos-random-score',
  description: 'Gives each node that passed the filters a random score from 0 to 100.',
  argsSchema: z.strictObject(chaosShape),
  create: (args) => ({
    preScore: (pod) => (isSelected(pod, args) ? undefined : { kind: 'skip' }),
    ...perNode({
      score: (pod, { name }, context) => Math.floor(draw(pod, name, args, context) * (MAX_NODE_SCORE + 1)),
    }),
  }),
})
