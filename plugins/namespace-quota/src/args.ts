import { z } from 'zod'

/** The quota of one resource. */
export interface QuotaRule {
  readonly name: string
  readonly label: string
  readonly default?: number | undefined
}

/** Arguments of namespace-quota. */
export interface NamespaceQuotaArgs {
  readonly resources: readonly QuotaRule[]
}

const rule = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9.-]+\/[A-Za-z0-9._-]+$/, 'expected an extended resource, such as example.com/dongle')
    .describe('Name of the extended resource.'),
  label: z.string().min(1).describe('Label of the Namespace whose value is the quota in units.'),
  default: z.int().min(0).optional().describe('Quota of namespaces without the label. Omit it for no limit.'),
})

/** Schema of the arguments. */
export const argsSchema: z.ZodType<NamespaceQuotaArgs> = z.strictObject({
  resources: z
    .array(rule)
    .min(1)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'a resource is listed twice')
    .describe('The resources with a quota.'),
})
