/** A resource source: returns how many units of a resource a node has. Copy it and change where the number comes from. */
import { defineResourceSource } from '@berth/plugin-api'
import { z } from 'zod'
const argsSchema = z.strictObject({
  annotation: z.string().min(1).describe('Node annotation that holds the number of units.'),
})
/** Units from a node annotation that another controller maintains. */
export const plugin = defineResourceSource({
  name: 'example-annotation',
  description: 'Reads the units from a node annotation.',
  argsSchema,
  create: ({ annotation }, { clock }) => ({
    async compute(node, signal) {
      signal.throwIfAborted()
      const text = node.metadata.annotations?.[annotation]
      // Reject when the number is unknown: the node keeps its amount. A zero would withdraw the resource.
      if (text === undefined) throw new Error(`node ${node.metadata.name ?? ''} has no annotation ${annotation}`)
      if (!/^\d{1,15}$/.test(text)) throw new Error(`annotation ${annotation} is "${text}", not a whole number`)
      return { units: BigInt(text), observedAtMs: clock.now() }
    },
  }),
})
