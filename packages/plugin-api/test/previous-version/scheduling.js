/** A scheduling plugin: a placement rule for the scheduler, the extender and the CLI. Copy it, rename it, change the rule. */
import { MAX_NODE_SCORE, defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
// Strict: a misspelled argument is an error that names it, instead of a rule that silently does nothing.
const argsSchema = z.strictObject({
  label: z.string().default('example.com/rack').describe("Label that holds a node's rack."),
  apartBy: z.string().default('app').describe('Pods with the same value of this label do not share a node.'),
})
/** Keeps the pods of one app on different nodes, and prefers nodes with a known rack. */
export const plugin = defineSchedulingPlugin({
  name: 'example-rack',
  description: 'Keeps the pods of one app on different nodes, and prefers nodes with a known rack.',
  argsSchema,
  create: ({ label, apartBy }) =>
    // perNode converts functions for one node into the batch hooks that the engine calls.
    perNode({
      // undefined lets the node pass. A text is the reason in the pod's events.
      filter: (pod, node) => {
        const app = pod.metadata.labels?.[apartBy]
        if (app === undefined) return undefined
        const other = node.pods.find(({ metadata }) => metadata.labels?.[apartBy] === app)
        return other === undefined
          ? undefined
          : `${apartBy}=${app} already runs there as ${other.metadata.name ?? 'a pod'}`
      },
      // Returns 0 to 100. Take time and randomness from the third argument, never from Date or Math.
      score: (_pod, node) => (node.node.metadata.labels?.[label] === undefined ? 0 : MAX_NODE_SCORE),
    }),
})
