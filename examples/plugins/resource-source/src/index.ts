/** A resource source: how many units of a resource a node has. Copy it and change where the number comes from. */
import { defineResourceSource } from '@berth/plugin-api'
import type { ResourceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'

/** What the configuration may say about the source. */
export interface AnnotationArgs {
  /** Annotation of the node that holds the number. */
  readonly annotation: string
}

const argsSchema = z.strictObject({
  annotation: z.string().min(1).describe('Annotation of the node that holds the number of units.'),
})

/** Units from an annotation that another controller keeps on the node. */
export const plugin: ResourceSourcePlugin<AnnotationArgs> = defineResourceSource({
  name: 'example-annotation',
  description: 'Units from an annotation of the node.',
  argsSchema,
  create: ({ annotation }, { clock }) => ({
    async compute(node, signal) {
      signal.throwIfAborted()
      const text = node.metadata.annotations?.[annotation]
      // Not knowing is a rejection, which leaves the last amount alone; zero would take the resource away.
      if (text === undefined) throw new Error(`node ${node.metadata.name ?? ''} has no annotation ${annotation}`)
      if (!/^\d{1,15}$/.test(text)) throw new Error(`annotation ${annotation} is "${text}", not a whole number`)
      return { units: BigInt(text), observedAtMs: clock.now() }
    },
  }),
})
