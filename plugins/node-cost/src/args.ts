import { qualifiedName } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments of node-cost, defaults filled in. */
export interface NodeCostArgs {
  readonly label?: string | undefined
  readonly annotation?: string | undefined
  readonly table?: Readonly<Record<string, number>> | undefined
  readonly maximum?: number | undefined
  readonly podMaximumAnnotation?: string | undefined
  readonly withoutCost: 'last' | 'refuse'
}

/** Schema of the arguments. */
export const argsSchema: z.ZodType<NodeCostArgs> = z
  .strictObject({
    label: qualifiedName.optional().describe('Label of the node with its cost, or with the key of the table.'),
    annotation: qualifiedName
      .optional()
      .describe('Annotation of the node with its cost, or with the key of the table.'),
    table: z
      .record(z.string(), z.number().min(0))
      .optional()
      .describe(
        'Cost by value of the label or annotation, such as a price by instance type. Omit it if the value is the cost.',
      ),
    maximum: z.number().min(0).optional().describe('Highest cost of a node for any pod. Omit it for no limit.'),
    podMaximumAnnotation: qualifiedName
      .optional()
      .describe('Annotation of a pod with the highest cost of a node for this pod.'),
    withoutCost: z
      .enum(['last', 'refuse'])
      .default('last')
      .describe(
        'What happens to nodes without a readable cost: last gives them the lowest score; refuse rejects them.',
      ),
  })
  .refine(({ label, annotation }) => (label === undefined) !== (annotation === undefined), {
    message: 'set either label or annotation',
    path: ['label'],
  })
