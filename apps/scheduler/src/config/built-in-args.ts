import type { DefaultProfileArgs, OptionalPluginArgs } from '@berth/fit-engine'
import { ConfigError } from '@berth/process/errors'
import type { NodeSelectorTerm } from '@berth/types'
import { z } from 'zod'

const resourceWeights = z.array(z.strictObject({ name: z.string().min(1), weight: z.int().min(0).max(100).optional() }))
const header = { apiVersion: z.string().optional(), kind: z.string().optional() }

const fitArgs = z.strictObject({
  ...header,
  ignoredResources: z.array(z.string()).optional(),
  ignoredResourceGroups: z.array(z.string()).optional(),
  scoringStrategy: z
    .strictObject({
      type: z.enum(['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio']).optional(),
      resources: resourceWeights.optional(),
      requestedToCapacityRatio: z
        .strictObject({
          shape: z.array(z.strictObject({ utilization: z.int(), score: z.int() })).optional(),
        })
        .optional(),
    })
    .optional(),
})

const balancedArgs = z.strictObject({ ...header, resources: resourceWeights.optional() })

const requirement = z.strictObject({
  key: z.string(),
  operator: z.string(),
  values: z.array(z.string()).optional(),
})
const term: z.ZodType<NodeSelectorTerm> = z.strictObject({
  matchExpressions: z.array(requirement).optional(),
  matchFields: z.array(requirement).optional(),
}) as z.ZodType<NodeSelectorTerm>
const nodeAffinityArgs = z.strictObject({
  ...header,
  addedAffinity: z
    .strictObject({
      requiredDuringSchedulingIgnoredDuringExecution: z.strictObject({ nodeSelectorTerms: z.array(term) }).optional(),
      preferredDuringSchedulingIgnoredDuringExecution: z
        .array(z.strictObject({ weight: z.int().min(1).max(100), preference: term }))
        .optional(),
    })
    .optional(),
})

const spreadArgs = z.strictObject({
  ...header,
  defaultConstraints: z
    .array(
      z.strictObject({
        maxSkew: z.int().positive(),
        topologyKey: z.string().min(1),
        whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
      }),
    )
    .optional(),
  defaultingType: z.enum(['System', 'List']).optional(),
})

const interPodAffinityArgs = z.strictObject({
  ...header,
  hardPodAffinityWeight: z.int().min(0).max(100).optional(),
  ignorePreferredTermsOfExistingPods: z.boolean().optional(),
})

const fragmentationArgs = z.strictObject({
  ...header,
  resources: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        weight: z.int().min(1).max(100).optional(),
        blockSizes: z.array(z.int().positive()).min(1).optional(),
      }),
    )
    .optional(),
})

type BuiltInArgs = DefaultProfileArgs & OptionalPluginArgs

/** Built-in plugins that take arguments, with the field that these fill. */
const schemas = new Map<string, { readonly field: keyof BuiltInArgs; readonly schema: z.ZodType }>([
  ['NodeResourcesFit', { field: 'fit', schema: fitArgs }],
  ['NodeResourcesBalancedAllocation', { field: 'balanced', schema: balancedArgs }],
  ['NodeAffinity', { field: 'nodeAffinity', schema: nodeAffinityArgs }],
  ['PodTopologySpread', { field: 'podTopologySpread', schema: spreadArgs }],
  ['InterPodAffinity', { field: 'interPodAffinity', schema: interPodAffinityArgs }],
  ['NodeResourcesFragmentation', { field: 'fragmentation', schema: fragmentationArgs }],
])

/** Arguments of one plugin, and where they stand in the configuration. */
export interface PluginArgs {
  readonly args: Readonly<Record<string, unknown>>
  /** `profiles[0].pluginConfig[1]`. */
  readonly path: string
}

/** Whether a built-in plugin takes arguments. */
export function takesBuiltInArgs(name: string): boolean {
  return schemas.has(name)
}

/**
 * Reads the arguments of the built-in plugins.
 *
 * @param argsByPlugin - Other plugins in it are passed over.
 * @param ignoredResources - Resources that extenders look after; when there are any they take the place of the
 * configured `ignoredResources`, as in kube-scheduler.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE naming the key.
 */
export function readBuiltInArgs(
  argsByPlugin: ReadonlyMap<string, PluginArgs>,
  ignoredResources: readonly string[],
): BuiltInArgs {
  const fields = new Map<keyof BuiltInArgs, Readonly<Record<string, unknown>>>()
  for (const [name, { field, schema }] of schemas) {
    const given = argsByPlugin.get(name)
    if (given === undefined) continue
    const parsed = schema.safeParse(given.args)
    if (!parsed.success) {
      const reasons = z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ')
      throw new ConfigError(`read ${given.path}.args of ${name}: ${reasons}`, {
        code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
      })
    }
    const { apiVersion: _version, kind: _kind, ...args } = parsed.data as Readonly<Record<string, unknown>>
    fields.set(field, args)
  }
  if (ignoredResources.length > 0) fields.set('fit', { ...fields.get('fit'), ignoredResources })
  return Object.fromEntries(fields)
}
