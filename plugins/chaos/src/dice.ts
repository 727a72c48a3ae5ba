import { MAX_EXTENDER_PRIORITY, MAX_NODE_SCORE } from '@berth/types'
import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'

/**
 * The score of the book's chaos extender: a dice with the eleven faces 0 to 10, which are an extender's priorities.
 * A scheduling plugin scores from 0 to 100, so a face counts ten times; the extender divides it back.
 */
export const dice: SchedulingPlugin = defineSchedulingPlugin({
  name: 'chaos-dice',
  description: 'Rolls a dice with the faces 0 to 10 for each node and scores it with ten times the face.',
  argsSchema: z.strictObject({}),
  create: () =>
    perNode({
      score: (_pod, _node, { random }) =>
        Math.floor(random() * (MAX_EXTENDER_PRIORITY + 1)) * (MAX_NODE_SCORE / MAX_EXTENDER_PRIORITY),
    }),
})
