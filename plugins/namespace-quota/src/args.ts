import { extendedResourceName, namespacedName, qualifiedName } from '@berth/plugin-api'
import { z } from 'zod'

/** The quota of one resource. */
export interface QuotaRule {
  readonly name: string
  /** Either this or `configMap` is set. */
  readonly label?: string | undefined
  /** `namespace/name`. */
  readonly configMap?: string | undefined
  readonly default?: number | undefined
}

/** Arguments of namespace-quota. */
export interface NamespaceQuotaArgs {
  readonly resources: readonly QuotaRule[]
}

const rule = z
  .strictObject({
    name: extendedResourceName.describe('Name of the extended resource.'),
    label: qualifiedName.optional().describe('Label of the Namespace whose value is the quota in units.'),
    configMap: namespacedName
      .optional()
      .describe(
        'ConfigMap with the quotas, as NAMESPACE/NAME. Each key is a namespace, each value its quota in units. Either label or configMap is required.',
      ),
    default: z
      .int()
      .min(0)
      .optional()
      .describe('Quota of namespaces without the label or the key. Omit it for no limit.'),
  })
  .refine(({ label, configMap }) => (label === undefined) !== (configMap === undefined), {
    message: 'set either label or configMap',
    path: ['label'],
  })

/** Schema of the arguments. */
export const argsSchema: z.ZodType<NamespaceQuotaArgs> = z.strictObject({
  resources: z
    .array(rule)
    .min(1)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'a resource is listed twice')
    .describe('The resources with a quota.'),
})
