import { MAX_NODE_SCORE, defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'

/**
 * The book's chaos scheduler, made safe: there any node was drawn, fitting or not; here every node that the filters let
 * pass gets a random score, so that each is equally likely when no other plugin scores.
 */
export const randomScore: SchedulingPlugin = defineSchedulingPlugin({
  name: 'chaos-random-score',
  description: 'Gives each node that passed the filters a random score from 0 to 100.',
  argsSchema: z.strictObject({}),
  create: () => perNode({ score: (_pod, _node, { random }) => Math.floor(random() * (MAX_NODE_SCORE + 1)) }),
})
