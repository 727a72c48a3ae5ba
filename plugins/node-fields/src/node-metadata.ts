import { defineResourceSource, qualifiedName, type ResourceSourcePlugin } from '@berth/plugin-api'
import { parseAmount } from '@berth/source-kit/parse-amount'
import { z } from 'zod'

/** Arguments of node-metadata. */
export interface NodeMetadataArgs {
  readonly label?: string | undefined
  readonly annotation?: string | undefined
  readonly default?: number | undefined
}

const argsSchema: z.ZodType<NodeMetadataArgs> = z
  .strictObject({
    label: qualifiedName.optional().describe('Label of the node that holds the number: 4, 1.5 or 32Gi.'),
    annotation: qualifiedName.optional().describe('Annotation of the node that holds the number, instead of a label.'),
    default: z
      .number()
      .min(0)
      .optional()
      .describe('Number for a node without it. Default: the number is unknown, and the node keeps its amount.'),
  })
  .refine(
    ({ label, annotation }) => (label === undefined) !== (annotation === undefined),
    'expected either label or annotation',
  )

/** Reads the number from a label or an annotation of the node, which another controller or a person maintains. */
export const nodeMetadata: ResourceSourcePlugin<NodeMetadataArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'node-metadata',
  description: 'Reads the units from a label or an annotation of the node.',
  argsSchema,
  create: ({ label, annotation, default: fallback }, { clock }) => ({
    async compute({ metadata: { name = '', labels = {}, annotations = {} } }, signal) {
      signal.throwIfAborted()
      const [kind, key, values] =
        label === undefined
          ? (['annotation', annotation ?? '', annotations] as const)
          : (['label', label, labels] as const)
      const text = new Map(Object.entries(values)).get(key)
      if (text === undefined && fallback === undefined) throw new Error(`node ${name} has no ${kind} ${key}`)
      const units = text === undefined ? (fallback ?? 0) : parseAmount(text, `${kind} ${key}`)
      return { units, observedAtMs: clock.now() }
    },
  }),
})
