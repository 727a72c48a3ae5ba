import { MAX_EXTENDER_PRIORITY, MAX_NODE_SCORE } from '@berth/types'
import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'
import { type ChaosArgs, chaosShape, draw, isSelected } from './chaos-args.ts'

/**
 * The score of the book's chaos extender: a die with the eleven faces 0 to 10, the range of an extender's priorities.
 * Scheduling plugins score from 0 to 100, so the face is multiplied by ten. The extender divides the score by ten again.
 */
export const dice: SchedulingPlugin<ChaosArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'chaos-dice',
  description: 'Rolls a die with the faces 0 to 10 for each node and scores the node with ten times the face.',
  argsSchema: z.strictObject(chaosShape),
  create: (args) => ({
    preScore: (pod) => (isSelected(pod, args) ? undefined : { kind: 'skip' }),
    ...perNode({
      score: (pod, { name }, context) =>
        Math.floor(draw(pod, name, args, context) * (MAX_EXTENDER_PRIORITY + 1)) *
        (MAX_NODE_SCORE / MAX_EXTENDER_PRIORITY),
    }),
  }),
})
