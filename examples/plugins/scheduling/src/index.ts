/** A scheduling plugin: a placement rule that scheduler, extender and CLI run alike. Copy it, rename it, change the rule. */
import { MAX_NODE_SCORE, defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { z } from 'zod'

/** What the configuration may say about the plugin. */
export interface RackArgs {
  /** Label that names a node's rack. */
  readonly label: string
  /** Pods with the same value of this label do not share a node. */
  readonly apartBy: string
}

// Strict: a misspelt argument is an error that names it, not a rule that silently does nothing.
const argsSchema = z.strictObject({
  label: z.string().default('example.com/rack').describe("Label that names a node's rack."),
  apartBy: z.string().default('app').describe('Pods with the same value of this label do not share a node.'),
})

/** Keeps the pods of one app on different nodes, and prefers nodes whose rack is known. */
export const plugin: SchedulingPlugin<RackArgs> = defineSchedulingPlugin({
  name: 'example-rack',
  description: 'Keeps the pods of one app on different nodes, and prefers nodes whose rack is known.',
  argsSchema,
  create: ({ label, apartBy }) =>
    // perNode turns functions of one node into the batch hooks that the engine calls.
    perNode({
      // undefined lets the node pass; a text is the reason that people read in the pod's events.
      filter: (pod, node) => {
        const app = pod.metadata.labels?.[apartBy]
        if (app === undefined) return undefined
        const other = node.pods.find(({ metadata }) => metadata.labels?.[apartBy] === app)
        return other === undefined
          ? undefined
          : `${apartBy}=${app} already runs there as ${other.metadata.name ?? 'a pod'}`
      },
      // From 0 to 100. Time and randomness come from the third argument, never from Date or Math.
      score: (_pod, node) => (node.node.metadata.labels?.[label] === undefined ? 0 : MAX_NODE_SCORE),
    }),
})
