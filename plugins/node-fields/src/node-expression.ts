import { defineResourceSource, type ResourceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'
import { compileArithmetic } from './compile-arithmetic.ts'

/** Arguments of node-expression. */
export interface NodeExpressionArgs {
  readonly expression: string
}

const argsSchema: z.ZodType<NodeExpressionArgs> = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(2048)
    .superRefine((text, context) => {
      try {
        compileArithmetic(text)
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
      }
    })
    .describe(
      "CEL expression over `node` that gives the number: quantity(node.status.capacity['memory']).asInteger() / 4.",
    ),
})

/** Computes the number from the fields of the node. */
export const nodeExpression: ResourceSourcePlugin<NodeExpressionArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'node-expression',
  description: 'Computes the units from the fields of the node, with a CEL expression.',
  argsSchema,
  create({ expression }, { clock }) {
    const evaluate = compileArithmetic(expression)
    return {
      async compute(node, signal) {
        signal.throwIfAborted()
        return { units: evaluate(node), observedAtMs: clock.now() }
      },
    }
  },
})
