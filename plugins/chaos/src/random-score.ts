import { MAX_NODE_SCORE, defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'

/**
 * A safe version of the book's chaos scheduler. The book's scheduler picked any node, even if the pod did not fit. Here
 * every node that passed the filters gets a random score, so that all are equally likely when no other plugin scores.
 */
export const randomScore: SchedulingPlugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'chaos-random-score',
  description: 'Gives each node that passed the filters a random score from 0 to 100.',
  argsSchema: z.strictObject({}),
  create: () => perNode({ score: (_pod, _node, { random }) => Math.floor(random() * (MAX_NODE_SCORE + 1)) }),
})
