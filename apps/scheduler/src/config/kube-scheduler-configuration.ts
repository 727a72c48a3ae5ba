import { z } from 'zod'
import { durationText, extenderEntries } from './extender-entry.ts'

/** Name and weight of an enabled plugin; the weight counts for its scores. */
const pluginEntry = z.strictObject({
  name: z.string().min(1).describe('Name of the plugin; * means all of them, in a disabled list.'),
  weight: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .describe('Factor of its scores; absent or 0: its default.'),
})

const pluginSet = z.strictObject({
  enabled: z.array(pluginEntry).default([]).describe('Plugins added to the default ones.'),
  disabled: z.array(pluginEntry).default([]).describe('Default plugins taken away; * takes all of them away.'),
})
/** Enabled and disabled plugins of one extension point. */
export type PluginSet = z.output<typeof pluginSet>

/** Extension points of which a profile can enable and disable plugins. */
export const extensionPoints = [
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

const plugins = z.strictObject({
  multiPoint: point('multiPoint: every one that the plugin has a hook for'),
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
})

const pluginConfig = z.strictObject({
  name: z.string().min(1).describe('Name of the plugin.'),
  args: z.record(z.string(), z.unknown()).default({}).describe('Its arguments; each plugin has its own schema.'),
})

const percentage = z.int().min(0).max(100).optional()

const profile = z.strictObject({
  schedulerName: z.string().min(1).default('default-scheduler').describe('Pods with this schedulerName are ours.'),
  percentageOfNodesToScore: percentage.describe('Accepted without effect: every node is always judged.'),
  plugins: plugins.optional().describe('Plugins enabled and disabled by extension point.'),
  pluginConfig: z.array(pluginConfig).default([]).describe('Arguments of plugins.'),
})
/** One entry of `profiles`, defaults filled in. */
export type ProfileEntry = z.output<typeof profile>

const leaderElection = z.strictObject({
  leaderElect: z.boolean().default(true).describe('Only the holder of the Lease schedules.'),
  leaseDuration: durationText.default('15s').describe('How long a Lease is good for after its last renewal.'),
  renewDeadline: durationText.default('10s').describe('The holder gives up when it cannot renew for so long.'),
  retryPeriod: durationText.default('2s').describe('Wait between attempts.'),
  resourceLock: z.literal('leases').default('leases').describe('Kind of the lock.'),
  resourceName: z.string().min(1).default('berth-scheduler').describe('Name of the Lease.'),
  resourceNamespace: z.string().min(1).default('kube-system').describe('Namespace of the Lease.'),
})

const clientConnection = z.strictObject({
  kubeconfig: z.string().optional().describe('Kubeconfig file; the flag --kubeconfig goes first.'),
  acceptContentTypes: z.string().optional().describe('Accepted without effect: Berth speaks JSON.'),
  contentType: z.string().optional().describe('Accepted without effect: Berth speaks JSON.'),
  qps: z.number().positive().optional().describe('Calls a second to the API server, on average.'),
  burst: z.int().positive().optional().describe('Calls that may be made at once above it.'),
})

/**
 * The keys of a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) that this scheduler reads. Unknown keys
 * are refused, as kube-scheduler does.
 */
export const kubeSchedulerConfiguration = {
  apiVersion: z.literal('kubescheduler.config.k8s.io/v1').optional().describe('Version of the configuration file.'),
  kind: z.literal('KubeSchedulerConfiguration').optional().describe('Kind of the configuration file.'),
  parallelism: z.int().positive().optional().describe('Accepted without effect: filters run in one pass.'),
  percentageOfNodesToScore: percentage.describe('Accepted without effect: every node is always judged.'),
  podInitialBackoffSeconds: z.int().positive().default(1).describe('Wait after the first failed attempt.'),
  podMaxBackoffSeconds: z.int().positive().default(10).describe('Longest wait after a failed attempt.'),
  leaderElection: leaderElection.optional().describe('Which of several replicas schedules.'),
  clientConnection: clientConnection.optional().describe('The connection to the API server.'),
  profiles: z
    .array(profile)
    .superRefine((profiles, context) => {
      const seen = new Set<string>()
      for (const [i, { schedulerName }] of profiles.entries()) {
        if (seen.has(schedulerName)) {
          context.addIssue({ code: 'custom', message: 'duplicate schedulerName', path: [i, 'schedulerName'] })
        }
        seen.add(schedulerName)
      }
    })
    .default([])
    .describe('Schedulers in one process; absent: one profile with --scheduler-name.'),
  extenders: extenderEntries.default([]).describe('Webhooks that filter, prioritize or bind.'),
} as const

/** The defaults of leader election. */
export const defaultLeaderElection: z.output<typeof leaderElection> = leaderElection.parse({})
