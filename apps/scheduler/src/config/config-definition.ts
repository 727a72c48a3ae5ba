import { defineConfig, type ConfigOf } from '@berth/process/config'
import { z } from 'zod'

/**
 * Flags and environment variables of the scheduler. The KubeSchedulerConfiguration file of --config defines profiles,
 * plugins and extenders.
 */
export const configDefinition = defineConfig({
  name: 'scheduler',
  summary: 'Binds pending pods of its schedulerName to nodes, with the filters and scores of its profiles.',
  healthAddress: '0.0.0.0:9402',
  schema: z.strictObject({
    config: z
      .string()
      .optional()
      .describe('KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1): profiles, plugins, extenders.'),
    kubeconfig: z.string().optional().describe('Kubeconfig file. Default: KUBECONFIG, ~/.kube/config, or in-cluster.'),
    schedulerName: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Schedule the pods with this schedulerName. Default: that of the profile in --config, or berth-scheduler.',
      ),
    leaderElect: z
      .boolean()
      .optional()
      .describe('Schedule only while holding the Lease. Default: the value in --config, or true.'),
    kubeApiQps: z
      .number()
      .positive()
      .optional()
      .describe('Average requests per second to the API server. Default: the value in --config, or 1000.'),
    kubeApiBurst: z
      .int()
      .positive()
      .optional()
      .describe('Burst of requests above that rate. Default: the value in --config, or twice the QPS.'),
    pluginDir: z.string().optional().describe('Directory with scheduling plugins: ES modules or packages.'),
    maxViewAgeSeconds: z
      .number()
      .positive()
      .default(120)
      .describe('Pause scheduling when the cached cluster state is older than this, in seconds.'),
  }),
  flags: {
    config: { placeholder: 'FILE' },
    kubeconfig: { placeholder: 'FILE' },
    schedulerName: { placeholder: 'NAME' },
    pluginDir: { placeholder: 'DIR' },
  },
  examples: [
    {
      command: 'scheduler --kubeconfig ~/.kube/config --leader-elect=false',
      description: 'Schedule the pods of schedulerName berth-scheduler from a workstation.',
    },
    {
      command: 'scheduler --config /etc/berth/scheduler.yaml --plugin-dir /etc/berth/plugins',
      description: 'Read profiles and extenders from a KubeSchedulerConfiguration, and plugins from a directory.',
    },
  ],
})

/** The flags after precedence is applied. */
export type Flags = ConfigOf<typeof configDefinition>
