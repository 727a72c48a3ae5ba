import { DEVICE_PLUGIN_DIR, PLUGINS_REGISTRY_DIR } from '@berth/kubelet-api'
import { defineConfig, type ConfigDefinition } from '@berth/process/config'
import { validateExtendedResourceName } from '@berth/resources'
import { z } from 'zod'
import { countArgs } from './sources/count-args.ts'
import { pathGlobArgs } from './sources/path-glob-args.ts'

const resourceName = z
  .string()
  .superRefine((name, context) => {
    const why = validateExtendedResourceName(name)
    if (why !== undefined) context.addIssue({ code: 'custom', message: `"${name}" is no extended resource: ${why}` })
  })
  .describe('Extended resource as pods ask for it, for example example.com/dongle.')

const argsByBuiltIn: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['path-glob', pathGlobArgs],
  ['count', countArgs],
])

const resource = z
  .strictObject({
    name: resourceName,
    source: z
      .string()
      .min(1)
      .describe('Where its devices come from: path-glob, count, or the name of a plugin in --plugin-dir.'),
    args: z
      .unknown()
      .optional()
      // Checked by the source that is named; help and documentation show those of the built-in ones.
      .meta({
        description: 'Arguments of the source: those of path-glob, then those of count; a plugin says its own.',
        anyOf: [...argsByBuiltIn.values()].map((args) => z.toJSONSchema(args, { io: 'input' })),
      }),
    probeSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(10)
      .describe('How often a plugin that probes its devices is asked about each, in seconds.'),
    keepMissingSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .default(0)
      .describe(
        'How long a device that vanished stays in capacity as unhealthy, in seconds; 0: it is taken out at once.',
      ),
  })
  .superRefine(({ source, args }, context) => {
    const checked = argsByBuiltIn.get(source)?.safeParse(args ?? {})
    for (const issue of checked?.error?.issues ?? []) context.addIssue({ ...issue, path: ['args', ...issue.path] })
  })

const schema = z.strictObject({
  resources: z
    .array(resource)
    .max(1000)
    .default([])
    .superRefine((resources, context) => {
      for (const [index, { name }] of resources.entries()) {
        const first = resources.findIndex((each) => each.name === name)
        if (first === index) continue
        const message = `${name} is configured already in resources[${first}]`
        context.addIssue({ code: 'custom', path: [index, 'name'], message })
      }
    })
    .describe('What to offer on this node.'),
  registration: z
    .enum(['watcher', 'classic'])
    .default('watcher')
    .describe(
      'watcher: the kubelet finds the socket in the plugins registry, also after its own restart. classic: the plugin registers itself at kubelet.sock.',
    ),
  pluginsRegistry: z
    .string()
    .min(1)
    .default(`${PLUGINS_REGISTRY_DIR}/berth`)
    .describe('Directory for the sockets with registration watcher, at or below the plugins_registry of the kubelet.'),
  devicePluginDir: z
    .string()
    .min(1)
    .default(DEVICE_PLUGIN_DIR)
    .describe('Directory of kubelet.sock and the sockets with registration classic.'),
  pluginDir: z.string().optional().describe('Directory with device source plugins.'),
  dryRun: z.boolean().default(false).describe('Print what would be offered and exit, without the kubelet.'),
  output: z.enum(['table', 'json']).default('table').describe('Format of discover and --dry-run.'),
})

/** Flags, environment, file, help and documentation of the device plugin. */
export const configDefinition: ConfigDefinition<typeof schema, '0.0.0.0:9401'> = defineConfig({
  name: 'device-plugin',
  summary: 'Discovers devices on a node and serves them to the kubelet.',
  schema,
  flags: {
    pluginsRegistry: { placeholder: 'DIR' },
    devicePluginDir: { placeholder: 'DIR' },
    pluginDir: { placeholder: 'DIR' },
    output: { short: 'o' },
  },
  positionals: [
    { name: 'command', description: 'discover prints what would be offered and exits.', choices: ['discover'] },
  ],
  examples: [
    { command: 'device-plugin --config devices.yaml', description: 'Offer what devices.yaml names.' },
    { command: 'device-plugin discover --config devices.yaml', description: 'Show what would be found.' },
    {
      command: `device-plugin \\\n    --resources '[{name: example.com/seat, source: count, args: {count: 4}}]'`,
      description: 'Offer four virtual devices.',
    },
  ],
  healthAddress: '0.0.0.0:9401',
})

/** One entry of `resources`. */
export type ResourceEntry = z.output<typeof resource>
