import {
  defineResourceSource,
  qualifiedName,
  type PluginEnv,
  type ResourceSource,
  type ResourceSourcePlugin,
} from '@berth/plugin-api'
import { parseAmount } from '@berth/source-kit/parse-amount'
import { z } from 'zod'

type Fallback = number | string | undefined

const fallback: z.ZodType<Fallback> = z
  .union([z.number().min(0), z.string().max(64)])
  .optional()
  .superRefine((value, context) => {
    try {
      if (typeof value === 'string') parseAmount(value, 'it')
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
    }
  })
  .describe('Number for a node without it. Default: the number is unknown, and the node keeps its amount.')

/** Arguments of node-label. */
export interface NodeLabelArgs {
  readonly label: string
  readonly default?: Fallback
}

/** Arguments of node-annotation. */
export interface NodeAnnotationArgs {
  readonly annotation: string
  readonly default?: Fallback
}

/** Reads the number from a label of the node, which another controller or a person maintains. */
export const nodeLabel: ResourceSourcePlugin<NodeLabelArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'node-label',
  description: 'Reads the units from a label of the node.',
  argsSchema: z.strictObject({
    label: qualifiedName.describe('Label of the node that holds the number: 4, 1.5 or 32Gi.'),
    default: fallback,
  }) as z.ZodType<NodeLabelArgs>,
  create: (args, env) => readText({ kind: 'label', key: args.label, fallback: args.default }, env),
})

/** Reads the number from an annotation of the node. */
export const nodeAnnotation: ResourceSourcePlugin<NodeAnnotationArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'node-annotation',
  description: 'Reads the units from an annotation of the node.',
  argsSchema: z.strictObject({
    annotation: qualifiedName.describe('Annotation of the node that holds the number: 4, 1.5 or 32Gi.'),
    default: fallback,
  }) as z.ZodType<NodeAnnotationArgs>,
  create: (args, env) => readText({ kind: 'annotation', key: args.annotation, fallback: args.default }, env),
})

interface NodeText {
  readonly kind: 'label' | 'annotation'
  readonly key: string
  readonly fallback: Fallback
}

function readText({ kind, key, fallback }: NodeText, { clock }: PluginEnv): ResourceSource {
  const what = `${kind} ${key}`
  return {
    async compute({ metadata }, signal) {
      signal.throwIfAborted()
      const values = metadata[`${kind}s`] ?? {}
      // An own property, because a label may have the name of an inherited one.
      const text = Object.hasOwn(values, key) ? values[key] : fallback
      if (text === undefined) throw new Error(`node ${metadata.name ?? ''} has no ${what}`)
      return { units: typeof text === 'number' ? text : parseAmount(text, what), observedAtMs: clock.now() }
    },
  }
}
