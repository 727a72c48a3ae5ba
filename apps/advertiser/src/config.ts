import { validateExtendedResourceName } from '@berth/resources'
import { defineConfig, type ConfigDefinition, type ConfigOf } from '@berth/process/config'
import { z } from 'zod'
import { MAX_UNITS } from './plan/declaration.ts'

const resourceName = z
  .string()
  .superRefine((name, context) => {
    const why = validateExtendedResourceName(name)
    if (why !== undefined) context.addIssue({ code: 'custom', message: `"${name}" is no extended resource: ${why}` })
  })
  .describe('Extended resource as pods ask for it, for example example.com/dongle.')

const units = z
  .union([
    z.int().min(0),
    // YAML numbers above 2^53 lose digits; text does not.
    z.string().regex(/^\d{1,19}$/, 'expected a whole number'),
  ])
  .refine((value) => BigInt(value) <= MAX_UNITS, 'expected at most 2^63-1')
  .describe('Units that each of the nodes offers: a whole number from 0 to 2^63-1.')

const source = z.strictObject({
  plugin: z.string().min(1).describe('Name of a resource source plugin.'),
  args: z.unknown().optional().describe('Arguments of the plugin; its README lists them.'),
  everySeconds: z.number().min(1).max(86_400).default(30).describe('How often each node is asked about, in seconds.'),
  maxAgeSeconds: z
    .number()
    .min(1)
    .max(604_800)
    .default(300)
    .describe('An answer older than this is not written; the node keeps what it has.'),
})

const requirement = z
  .strictObject({
    key: z.string().min(1).describe('Label key.'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('How the label is compared.'),
    values: z.array(z.string()).optional().describe('For In and NotIn: at least one.'),
  })
  .superRefine(({ operator, values = [] }, context) => {
    const needsValues = operator === 'In' || operator === 'NotIn'
    if (needsValues === values.length > 0) return
    const message = `${operator} takes ${needsValues ? 'at least one value' : 'no values'}`
    context.addIssue({ code: 'custom', path: ['values'], message })
  })

const nodes = z
  .strictObject({
    names: z.array(z.string().min(1)).min(1).optional().describe('Names of nodes.'),
    selector: z
      .strictObject({
        matchLabels: z.record(z.string(), z.string()).optional().describe('Labels that a node must have.'),
        matchExpressions: z.array(requirement).optional().describe('Conditions on labels; all must hold.'),
      })
      .optional()
      .describe('Label selector; {} chooses every node.'),
  })
  .refine(
    ({ names, selector }) => (names === undefined) !== (selector === undefined),
    'expected either names or selector',
  )
  .describe('The nodes that offer it: either names or selector.')

const resource = z
  .strictObject({
    name: resourceName,
    units: units.optional(),
    source: source.optional().describe('Instead of units: a plugin that computes them.'),
    nodes,
  })
  .refine(({ units, source }) => (units === undefined) !== (source === undefined), 'expected either units or source')

const schema = z.strictObject({
  kubeconfig: z
    .string()
    .optional()
    .describe('Kubeconfig file; absent: KUBECONFIG, ~/.kube/config, the own service account.'),
  context: z.string().optional().describe('Context of the kubeconfig; absent: its current one.'),
  resources: z
    .array(resource)
    .max(10_000)
    .default([])
    .superRefine((resources, context) => {
      for (const { path, message } of clashes(resources)) context.addIssue({ code: 'custom', path, message })
    })
    .describe('What to advertise. Names that are taken out here are taken back from the nodes.'),
  adopt: z
    .boolean()
    .default(false)
    .describe(
      "Take over resources that a node offers already and that Berth did not write; from then on they are Berth's.",
    ),
  once: z.boolean().default(false).describe('Bring every node to what is declared, then exit.'),
  dryRun: z
    .boolean()
    .default(false)
    .describe('Print what would be changed, then exit; with prune: what would be taken back.'),
  force: z
    .boolean()
    .default(false)
    .describe('With prune: take back also what running pods hold; without it prune names them and changes nothing.'),
  pluginDir: z.string().optional().describe('Directory with resource source plugins.'),
  kubeApiQps: z.number().positive().default(50).describe('Calls per second to the API server.'),
  kubeApiBurst: z.int().positive().default(100).describe('Calls that may be made at once beyond that rate.'),
})

/** Flags, environment, file, help and documentation of the advertiser. */
export const configDefinition: ConfigDefinition<typeof schema, '0.0.0.0:9404'> = defineConfig({
  name: 'advertiser',
  summary: 'Advertises extended resources on nodes, keeps them there, and takes them back.',
  schema,
  flags: { kubeconfig: { placeholder: 'FILE' }, pluginDir: { placeholder: 'DIR' } },
  positionals: [
    {
      name: 'command',
      description: 'plan prints what would be changed and exits; prune takes back all that Berth advertises and exits.',
      choices: ['plan', 'prune'],
    },
  ],
  examples: [
    { command: 'advertiser --config dongles.yaml', description: 'Keep the nodes at what dongles.yaml declares.' },
    { command: 'advertiser plan --config dongles.yaml', description: 'Show what would be changed.' },
    { command: 'advertiser --config dongles.yaml --once', description: 'Write it once and exit.' },
    { command: 'advertiser prune', description: 'Take everything back and exit.' },
  ],
  healthAddress: '0.0.0.0:9404',
})

/** The advertiser's effective configuration. */
export type AdvertiserConfig = ConfigOf<typeof configDefinition>

/** One entry of `resources`. */
export type ResourceEntry = z.output<typeof resource>

interface Clash {
  readonly path: (string | number)[]
  readonly message: string
}

/** Two entries that name the same node and resource; those that meet through selectors show only on real nodes. */
function clashes(resources: readonly ResourceEntry[]): readonly Clash[] {
  const firstByKey = new Map<string, number>()
  return resources.flatMap(({ name, nodes: { names = [] } }, index) =>
    names.flatMap((nodeName, position) => {
      const key = `${nodeName} ${name}`
      const first = firstByKey.get(key)
      if (first === undefined) {
        firstByKey.set(key, index)
        return []
      }
      const message = `${name} on node ${nodeName} is declared already in resources[${first}]`
      return [{ path: [index, 'nodes', 'names', position], message }]
    }),
  )
}
