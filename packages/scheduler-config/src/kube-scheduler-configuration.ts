import { z } from 'zod'
import { durationText, extenderEntries } from './extender-entry.ts'
import { DEFAULT_SCHEDULER } from './scheduler-name-of.ts'

/** Name and score weight of a plugin. */
const pluginEntry = z.strictObject({
  name: z.string().min(1).describe('Name of the plugin. In a disabled list, * means every plugin.'),
  weight: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .describe('Weight of its scores. Omitted or 0: 1, also for a plugin whose default weight is higher.'),
})

const pluginSet = z.strictObject({
  enabled: z.array(pluginEntry).default([]).describe('Plugins to run in addition to the default plugins.'),
  disabled: z.array(pluginEntry).default([]).describe('Default plugins not to run. * disables all of them.'),
})
/** Enabled and disabled plugins of one extension point. */
export type PluginSet = z.output<typeof pluginSet>

/** Extension points at which a profile can enable and disable plugins. */
export const extensionPoints = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
] as const
/** One of {@link extensionPoints}. */
export type ExtensionPoint = (typeof extensionPoints)[number]

const point = (name: string): z.ZodOptional<typeof pluginSet> =>
  pluginSet.optional().describe(`Plugins of the extension point ${name}.`)

/** An extension point of 1.36 whose plugins choose where a pod group is placed. Berth places groups without such plugins. */
const groupPoint = (name: string): z.ZodOptional<typeof pluginSet> =>
  pluginSet
    .refine(({ enabled }) => enabled.length === 0, {
      message: 'Berth places pod groups without plugins of this extension point: remove the entries',
      path: ['enabled'],
    })
    .optional()
    .describe(`Accepted when no plugin is enabled: Berth places pod groups as a whole, without plugins of ${name}.`)

const plugins = z.strictObject({
  multiPoint: point('multiPoint: every extension point for which the plugin has a hook'),
  preEnqueue: point('preEnqueue'),
  queueSort: point('queueSort'),
  preFilter: point('preFilter'),
  filter: point('filter'),
  postFilter: point('postFilter'),
  preScore: point('preScore'),
  score: point('score'),
  reserve: point('reserve'),
  permit: point('permit'),
  preBind: point('preBind'),
  bind: point('bind'),
  postBind: point('postBind'),
  placementGenerate: groupPoint('placementGenerate'),
  placementScore: groupPoint('placementScore'),
})

const pluginConfig = z.strictObject({
  name: z.string().min(1).describe('Name of the plugin.'),
  args: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Arguments of the plugin. See the documentation of the plugin.'),
})

function refuseDuplicates<Key extends string>(
  entries: readonly Readonly<Record<Key, string>>[],
  key: Key,
  context: z.RefinementCtx,
): void {
  const seen = new Set<string>()
  for (const [i, entry] of entries.entries()) {
    if (seen.has(entry[key])) context.addIssue({ code: 'custom', message: `duplicate ${key}`, path: [i, key] })
    seen.add(entry[key])
  }
}

const percentage = z.int().min(0).max(100).optional()

const profile = z.strictObject({
  schedulerName: z.string().min(1).default(DEFAULT_SCHEDULER).describe('Schedule the pods with this schedulerName.'),
  percentageOfNodesToScore: percentage.describe('Accepted, but has no effect: every node is always evaluated.'),
  plugins: plugins.optional().describe('Plugins to enable and disable, by extension point.'),
  pluginConfig: z
    .array(pluginConfig)
    .superRefine((entries, context) => refuseDuplicates(entries, 'name', context))
    .default([])
    .describe('Arguments of plugins.'),
})
/** One entry of `profiles`, defaults filled in. */
export type ProfileEntry = z.output<typeof profile>

const leaderElection = z.strictObject({
  leaderElect: z
    .boolean()
    .default(true)
    .describe(
      'Elect a leader among replicas. If false, a second replica stays idle all the same, and the process refuses to start if it may not use the Lease.',
    ),
  leaseDuration: durationText.default('15s').describe('How long a Lease is valid after its last renewal.'),
  renewDeadline: durationText
    .default('10s')
    .describe('How long the holder tries to renew the Lease before it stops scheduling.'),
  retryPeriod: durationText.default('2s').describe('Interval between attempts to acquire or renew the Lease.'),
  resourceLock: z.literal('leases').default('leases').describe('Kind of the lock object.'),
  resourceName: z
    .string()
    .min(1)
    .optional()
    .describe('Name of the Lease. Default: berth-scheduler (kube-scheduler if started so).'),
  resourceNamespace: z.string().min(1).default('kube-system').describe('Namespace of the Lease.'),
})

const clientConnection = z.strictObject({
  kubeconfig: z.string().optional().describe('Kubeconfig file. The flag --kubeconfig overrides it.'),
  acceptContentTypes: z
    .string()
    .optional()
    .describe('Accepted, but has no effect: contentType also decides which responses are accepted.'),
  contentType: z
    .enum(['', 'application/json', 'application/vnd.kubernetes.protobuf'])
    .optional()
    .describe(
      'Encoding of pods, nodes, bindings and events on the wire. Protobuf falls back to JSON where the server refuses it. Default: application/json.',
    ),
  qps: z.number().min(0).optional().describe('Average requests per second to the API server. 0: the default.'),
  burst: z.int().min(0).optional().describe('Burst of requests above that rate. 0: the default.'),
})

/**
 * The keys of a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) that this scheduler reads. Unknown keys
 * are refused, as kube-scheduler does.
 */
export const kubeSchedulerConfiguration = {
  apiVersion: z.literal('kubescheduler.config.k8s.io/v1').optional().describe('API version of the configuration file.'),
  kind: z.literal('KubeSchedulerConfiguration').optional().describe('Kind of the configuration file.'),
  parallelism: z.int().positive().optional().describe('Accepted, but has no effect: filters run in one pass.'),
  percentageOfNodesToScore: percentage.describe('Accepted, but has no effect: every node is always evaluated.'),
  delayCacheUntilActive: z
    .boolean()
    .optional()
    .describe('Accepted, but has no effect: the cache is always filled at start.'),
  enableProfiling: z.boolean().optional().describe('Accepted, but has no effect: there is no Go profiler.'),
  enableContentionProfiling: z.boolean().optional().describe('Accepted, but has no effect: there is no Go profiler.'),
  podInitialBackoffSeconds: z
    .int()
    .positive()
    .default(1)
    .describe('Backoff after the first failed attempt, in seconds.'),
  podMaxBackoffSeconds: z.int().positive().default(10).describe('Maximum backoff after a failed attempt, in seconds.'),
  leaderElection: leaderElection.optional().describe('Leader election among replicas.'),
  clientConnection: clientConnection.optional().describe('The connection to the API server.'),
  profiles: z
    .array(profile)
    .superRefine((profiles, context) => refuseDuplicates(profiles, 'schedulerName', context))
    .default([])
    .describe('Scheduling profiles. Omitted: one default profile with the name given by --scheduler-name.'),
  extenders: extenderEntries.default([]).describe('Webhooks that filter, prioritize, preempt or bind.'),
} as const

/** Leader election with every default. */
export const defaultLeaderElection: z.output<typeof leaderElection> = leaderElection.parse({})
