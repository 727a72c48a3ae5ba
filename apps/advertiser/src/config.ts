import { extendedResourceName, namespacedName } from '@berth/plugin-api'
import { defineConfig, type ConfigDefinition, type ConfigOf } from '@berth/process/config'
import { z } from 'zod'
import { evictionSchema } from './evict/eviction-config.ts'
import { MAX_NODE_NAME_LENGTH } from './lease/installation-lease.ts'
import { OWNER_PATTERN } from './plan/owner.ts'
import { sourceOriginSchema } from './sources/source-origins.ts'
import { sourceSchema } from './sources/source-options.ts'
import { unitsSchema } from './sources/units-schema.ts'

/** The keyword of JSON Schema for an object with exactly one of these keys. The chart checks its values with it. */
const exactlyOne = (...keys: readonly string[]): Readonly<Record<string, unknown>> => ({
  allOf: [{ oneOf: keys.map((key) => ({ required: [key] })) }],
})

const resourceName = extendedResourceName.describe(
  'Name of the extended resource, as pods request it. Example: example.com/dongle.',
)

const installation = z.string().regex(OWNER_PATTERN, 'expected NAMESPACE/NAME')

const units = unitsSchema.describe('Units that each selected node offers: a whole number from 0 to 2^63-1.')

const requirement = z
  .strictObject({
    key: z.string().min(1).describe('Label key.'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('How to compare the label.'),
    values: z.array(z.string()).optional().describe('Values to compare with. In and NotIn need at least one.'),
  })
  .superRefine(({ operator, values = [] }, context) => {
    const needsValues = operator === 'In' || operator === 'NotIn'
    if (needsValues === values.length > 0) return
    const message = `${operator} takes ${needsValues ? 'at least one value' : 'no values'}`
    context.addIssue({ code: 'custom', path: ['values'], message })
  })
  .meta({
    allOf: [
      {
        oneOf: [
          { properties: { operator: { enum: ['In', 'NotIn'] }, values: { minItems: 1 } }, required: ['values'] },
          { properties: { operator: { enum: ['Exists', 'DoesNotExist'] }, values: { maxItems: 0 } } },
        ],
      },
    ],
  })

const nodes = z
  .strictObject({
    names: z.array(z.string().min(1)).min(1).optional().describe('Names of nodes.'),
    selector: z
      .strictObject({
        matchLabels: z.record(z.string(), z.string()).optional().describe('Labels that a node must have.'),
        matchExpressions: z.array(requirement).optional().describe('Conditions on labels. All must hold.'),
      })
      .optional()
      .describe('Label selector. {} selects every node.'),
  })
  .refine(
    ({ names, selector }) => (names === undefined) !== (selector === undefined),
    'expected either names or selector',
  )
  .meta({ description: 'Nodes that offer the resource: either names or selector.', ...exactlyOne('names', 'selector') })

const resource = z
  .strictObject({
    name: resourceName,
    units: units.optional(),
    source: sourceSchema.optional().describe('Plugin that computes the units, instead of units.'),
    nodes,
  })
  .refine(({ units, source }) => (units === undefined) !== (source === undefined), 'expected either units or source')
  .meta(exactlyOne('units', 'source'))

const schema = z.strictObject({
  kubeconfig: z.string().optional().describe('Kubeconfig file. Default: KUBECONFIG, ~/.kube/config, or in-cluster.'),
  context: z.string().optional().describe('Context in the kubeconfig. Default: its current context.'),
  resources: z
    .array(resource)
    .max(10_000)
    .default([])
    .superRefine((resources, context) => {
      for (const { path, message } of findDuplicates(resources)) context.addIssue({ code: 'custom', path, message })
    })
    .describe('Resources to advertise. A resource that is removed from this list is withdrawn from the nodes.'),
  clearStaleZeros: z
    .array(resourceName)
    .max(1_000)
    .default([])
    .describe(
      'Names to remove from nodes where a device plugin that is gone left them at 0 for more than five minutes. Do not list names of running device plugins.',
    ),
  watchObjects: z
    .boolean()
    .default(false)
    .describe(
      'Advertise also what ExtendedResource objects declare. An entry of resources overrides objects for the same resource on the same node.',
    ),
  allowedNames: namespacedName
    .optional()
    .describe(
      'ConfigMap with the resource names that objects may declare, as NAMESPACE/NAME: the keys names and domains, one on each line. Default: every name.',
    ),
  refuseObjects: z
    .boolean()
    .default(false)
    .describe(
      'With prune, fail while ExtendedResource objects exist. The chart sets it if it deletes their definition.',
    ),
  owner: installation
    .default('kube-system/berth-advertiser')
    .describe(
      'Name of this installation, as NAMESPACE/NAME of its Lease. Nodes record it as the owner of their resources, and only the holder of the Lease writes.',
    ),
  from: installation
    .optional()
    .describe('With adopt, take over everything that this installation owns. It must have stopped.'),
  mode: z
    .enum(['central', 'node'])
    .default('central')
    .describe(
      'central: one process writes all nodes. node: this process reads and writes only the node nodeName, and its sources may read the host.',
    ),
  nodeName: z
    .string()
    .min(1)
    .max(MAX_NODE_NAME_LENGTH)
    .optional()
    .describe('With mode node, the node that this process runs on. In a pod: spec.nodeName, from the downward API.'),
  once: z.boolean().default(false).describe('Reconcile every node once, then exit.'),
  dryRun: z
    .boolean()
    .default(false)
    .describe(
      'Print the changes without making them, then exit. With prune, print what would be withdrawn. With evict, report pods instead of evicting them, without an end.',
    ),
  force: z
    .boolean()
    .default(false)
    .describe(
      'With prune, also withdraw resources that running pods use. Without it, prune names these pods and changes nothing.',
    ),
  retryCommand: z
    .string()
    .optional()
    .describe('Command that the error message of a failed prune suggests. The chart sets it.'),
  sourceOrigins: z
    .array(sourceOriginSchema)
    .max(1_000)
    .default([])
    .describe('HTTP servers that resource sources may query. Default: none.'),
  credentialsDir: z
    .string()
    .regex(/^\//, 'expected an absolute path')
    .default('/run/berth/credentials')
    .describe(
      'Directory in which the Secrets that sourceOrigins names are mounted, each as a directory with its name.',
    ),
  eviction: evictionSchema
    .prefault({})
    .describe('Settings of the command evict, which evicts pods from devices that stay Unhealthy.'),
  pluginDir: z.string().optional().describe('Directory with resource source plugins: ES modules or packages.'),
  kubeApiQps: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'Average requests per second to the API server. 0: no limit; a few requests are in flight at once, and the API server paces them with its priority and fairness and with 429 responses.',
    ),
  kubeApiBurst: z.int().positive().default(100).describe('Burst of requests above kubeApiQps. No effect without it.'),
})

/** Flags, environment variables, file keys, help and documentation of the advertiser. */
export const configDefinition: ConfigDefinition<typeof schema, '0.0.0.0:9404'> = defineConfig({
  name: 'advertiser',
  summary: 'Advertises extended resources on nodes, keeps them up to date, and withdraws them.',
  schema,
  flags: {
    kubeconfig: { placeholder: 'FILE' },
    pluginDir: { placeholder: 'DIR' },
    owner: { placeholder: 'NAMESPACE/NAME' },
    from: { placeholder: 'NAMESPACE/NAME' },
    allowedNames: { placeholder: 'NAMESPACE/NAME' },
    nodeName: { placeholder: 'NAME' },
  },
  positionals: [
    {
      name: 'command',
      description:
        'plan prints the changes without making them. adopt takes over declared resources that nodes already offer. prune withdraws everything that this installation advertises. migrate prints the DeviceClass and the ResourceSlices that replace the declared resources; pods start only with a DRA driver. These exit. evict runs until it is stopped: it evicts pods that hold a device which stays Unhealthy, and advertises nothing.',
      choices: ['plan', 'adopt', 'prune', 'migrate', 'evict'],
    },
  ],
  examples: [
    { command: 'advertiser --config dongles.yaml', description: 'Keep the nodes at the amounts in dongles.yaml.' },
    { command: 'advertiser plan --config dongles.yaml', description: 'Show the changes without making them.' },
    { command: 'advertiser --config dongles.yaml --once', description: 'Reconcile once and exit.' },
    { command: 'advertiser adopt --config dongles.yaml', description: 'Take over dongles that nodes already offer.' },
    {
      command: 'advertiser adopt --from lab/berth-advertiser',
      description: 'Take over what another installation owns.',
    },
    { command: 'advertiser migrate --config dongles.yaml', description: 'Print dongles.yaml as objects of DRA.' },
    { command: 'advertiser prune', description: 'Withdraw everything and exit.' },
    {
      command: "advertiser evict --eviction '{resources: [example.com/dongle], dryRun: true}'",
      description: 'Report which pods would be evicted from unhealthy dongles.',
    },
  ],
  healthAddress: '0.0.0.0:9404',
})

/** The advertiser's effective configuration. */
export type AdvertiserConfig = ConfigOf<typeof configDefinition>

/** One entry of `resources`. */
export type ResourceEntry = z.output<typeof resource>

interface DuplicateDeclaration {
  readonly path: (string | number)[]
  readonly message: string
}

/** Finds entries that name the same node and resource. Entries that overlap through selectors show only on real nodes. */
function findDuplicates(resources: readonly ResourceEntry[]): readonly DuplicateDeclaration[] {
  const firstByKey = new Map<string, number>()
  return resources.flatMap(({ name, nodes: { names = [] } }, index) =>
    names.flatMap((nodeName, position) => {
      const key = `${nodeName} ${name}`
      const first = firstByKey.get(key)
      if (first === undefined) {
        firstByKey.set(key, index)
        return []
      }
      const message = `${name} on node ${nodeName} is already declared in resources[${first}]`
      return [{ path: [index, 'nodes', 'names', position], message }]
    }),
  )
}
