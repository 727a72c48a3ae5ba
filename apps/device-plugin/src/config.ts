import { DEVICE_PLUGIN_DIR, PLUGINS_REGISTRY_DIR } from '@berth/kubelet-api'
import { defineConfig, type ConfigDefinition } from '@berth/process/config'
import { extendedResourceName } from '@berth/plugin-api'
import { z } from 'zod'
import { nodeCommands } from './commands/run-node-command.ts'
import { findCollisions } from './config-collisions.ts'
import { containerConfig, preStartConfig } from './container/container-config.ts'
import { probeConfig } from './health/probe-config.ts'
import { offerConfig } from './offer/offer-config.ts'
import { allocationPolicies } from './plugin-server/preferred-allocation/take-by-policy.ts'
import { countArgs } from './sources/count/count-args.ts'
import { pathGlobArgs } from './sources/path-glob/path-glob-args.ts'

const resourceName = extendedResourceName.describe(
  'Name of the extended resource, as pods request it. Example: example.com/dongle.',
)

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
      .describe(
        'Device source: path-glob, count, one of the sources that docs/plugins.md lists, such as usb, or the name of a plugin in --plugin-dir.',
      ),
    args: z
      .unknown()
      .optional()
      // The named source validates them. Help and documentation list the arguments of the built-in sources.
      .meta({
        description:
          'Arguments of the source. Listed here: those of path-glob, then those of count. For a plugin, see its README.',
        anyOf: [...argsByBuiltIn.values()].map((args) => z.toJSONSchema(args, { io: 'input' })),
      }),
    ...offerConfig,
    probeSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(10)
      .describe(
        'Interval between two health probes of a device, in seconds. A source without probes is probed only after a failed allocation.',
      ),
    health: z
      .array(probeConfig)
      .max(20)
      .default([])
      .describe('Probes of every device. A device is unhealthy while one of them fails, and until each has run once.'),
    allocationPolicy: z
      .enum(allocationPolicies)
      .default('pack')
      .describe(
        'Which slots of shared devices a container should get, after those of its NUMA nodes. pack: fill the device with the fewest free slots. spread: take the device with the most free slots. distinct: take slots of different devices, even on different NUMA nodes.',
      ),
    cdi: z
      .boolean()
      .default(false)
      .describe(
        'Hand over device nodes and mounts as CDI devices, which the container runtime resolves whenever it creates a container. Needs the node helper (chart: devicePlugin.nodeHelper.cdi), and containerd 1.7 or CRI-O 1.27 with CDI on.',
      ),
    container: containerConfig.optional(),
    preStart: preStartConfig.optional(),
    keepMissingSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .default(0)
      .describe(
        'How long a device that disappeared stays in capacity as unhealthy, in seconds. 0 removes it at once. A device that a container got stays as well: with podResources until no container holds it, otherwise until the plugin restarts.',
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
        const message = `${name} is already configured in resources[${first}]`
        context.addIssue({ code: 'custom', path: [index, 'name'], message })
      }
      for (const { path, message } of findCollisions(resources)) {
        context.addIssue({ code: 'custom', path: [...path], message })
      }
    })
    .describe('Resources to offer on this node.'),
  registration: z
    .enum(['watcher', 'classic'])
    .default('watcher')
    .describe(
      'watcher: the kubelet finds the socket in the plugins registry, also after a kubelet restart. classic: the plugin registers itself at kubelet.sock.',
    ),
  pluginsRegistry: z
    .string()
    .min(1)
    .default(`${PLUGINS_REGISTRY_DIR}/berth`)
    .describe(
      'Socket directory for registration watcher: the plugins_registry of the kubelet or a directory below it.',
    ),
  devicePluginDir: z
    .string()
    .min(1)
    .default(DEVICE_PLUGIN_DIR)
    .describe('Socket directory for registration classic: the directory of kubelet.sock.'),
  pluginDir: z.string().optional().describe('Directory with device source plugins: ES modules or packages.'),
  nodeHelper: z
    .string()
    .min(1)
    .optional()
    .describe('Unix socket of the node helper, which runs as root: the command node-helper serves it.'),
  podResources: z
    .boolean()
    .default(false)
    .describe(
      'Ask the kubelet, through the node helper, which container holds which device: for metrics, /debug/devices, the detection of devices that two pods hold, and so that a device that disappears stays listed as unhealthy until its pod ends.',
    ),
  remoteDebug: z
    .boolean()
    .default(false)
    .describe(
      'Also answer /debug/devices to callers outside the pod, such as `kubectl berth capacity --devices`, which asks through the pod proxy. Everyone who reaches the port can then read the ids and paths of the devices.',
    ),
  cdiDirectory: z
    .string()
    .regex(/^\//, 'expected an absolute path')
    .optional()
    .describe('For node-helper: directory of CDI files, such as /var/run/cdi. Without it, none are written.'),
  cdiOwner: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?$/, 'expected lower-case letters, digits and dashes')
    .default('berth')
    .describe('For node-helper: start of the names of its CDI files. Another owner has its own files.'),
  podResourcesDirectory: z
    .string()
    .regex(/^\//, 'expected an absolute path')
    .optional()
    .describe('For node-helper: directory of the pod resources socket of the kubelet. Without it, they are not read.'),
  uninstallFile: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with the time until which an uninstall is announced (RFC 3339). Until then the plugin offers no devices, so that the node shows 0. The chart sets it from an annotation of the pod.',
    ),
  standby: z
    .boolean()
    .default(false)
    .describe(
      'Stand by while another process serves from the socket directory, and serve when it has ended: for updates that start the new pod before the old one ends. The directory must belong to this installation alone.',
    ),
  dryRun: z
    .boolean()
    .default(false)
    .describe('Print the devices that would be offered, without contacting the kubelet, and exit.'),
  output: z.enum(['table', 'json']).default('table').describe('Format of discover and --dry-run.'),
})

/** Flags, environment variables, file keys, help and documentation of the device plugin. */
export const configDefinition: ConfigDefinition<typeof schema, '0.0.0.0:9401'> = defineConfig({
  name: 'device-plugin',
  summary: 'Discovers devices on a node and serves them to the kubelet.',
  schema,
  flags: {
    pluginsRegistry: { placeholder: 'DIR' },
    devicePluginDir: { placeholder: 'DIR' },
    pluginDir: { placeholder: 'DIR' },
    nodeHelper: { placeholder: 'SOCKET' },
    cdiDirectory: { placeholder: 'DIR' },
    cdiOwner: { placeholder: 'NAME' },
    podResourcesDirectory: { placeholder: 'DIR' },
    uninstallFile: { placeholder: 'FILE' },
    output: { short: 'o' },
  },
  positionals: [
    {
      name: 'command',
      description:
        'discover prints the devices that would be offered. validate checks the configuration without looking for devices. node-helper runs as root beside the plugin until it is stopped. The other commands are those that the chart runs on nodes: they prepare, clear and remove the socket directory, and check inside a container that its devices arrived. All but node-helper exit.',
      choices: ['discover', 'validate', 'node-helper', ...nodeCommands],
    },
    { name: 'resource', description: 'Extended resource for check-allocation.' },
  ],
  examples: [
    { command: 'device-plugin --config devices.yaml', description: 'Offer the resources in devices.yaml.' },
    { command: 'device-plugin discover --config devices.yaml', description: 'Show the devices that are found.' },
    {
      command: `device-plugin --resources '[{name: example.com/seat, source: count, args: {count: 4}}]'`,
      description: 'Offer four virtual devices.',
    },
  ],
  healthAddress: '0.0.0.0:9401',
})

/** One entry of `resources`. */
export type ResourceEntry = z.output<typeof resource>
