import { defineConfig, type ConfigOf } from '@berth/process/config'
import { durationText } from '@berth/scheduler-config'
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
        'Schedule the pods with this schedulerName. Default: that of the profile in --config, or berth-scheduler (default-scheduler if started as kube-scheduler).',
      ),
    leaderElect: z
      .boolean()
      .optional()
      .describe('Elect a leader among replicas. Default: the value in --config, or true.'),
    leaderElectResourceName: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Name of the Lease. Default: the value in --config, or berth-scheduler (kube-scheduler if started so).',
      ),
    leaderElectResourceNamespace: z
      .string()
      .min(1)
      .optional()
      .describe('Namespace of the Lease. Default: the value in --config, or kube-system.'),
    leaderElectResourceLock: z.literal('leases').optional().describe('Kind of the lock object.'),
    leaderElectLeaseDuration: durationText.optional().describe('Overrides leaderElection.leaseDuration of --config.'),
    leaderElectRenewDeadline: durationText.optional().describe('Overrides leaderElection.renewDeadline of --config.'),
    leaderElectRetryPeriod: durationText.optional().describe('Overrides leaderElection.retryPeriod of --config.'),
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
    pluginModules: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Installed packages with scheduling plugins, by name, found from --plugin-dir or the working directory.',
      ),
    maxViewAgeSeconds: z
      .number()
      .positive()
      .default(120)
      .describe('Pause scheduling when the cached cluster state is older than this, in seconds.'),
    securePort: z
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe(
        'Port of health, metrics and debugging pages over HTTPS; the API server authorizes callers. 0: none. Default: 0 (10259 if started as kube-scheduler, which then serves plain HTTP only with --health-address).',
      ),
    bindAddress: z.string().default('0.0.0.0').describe('Address of --secure-port.'),
    tlsCertFile: z
      .string()
      .optional()
      .describe('File with the certificate for --secure-port, PEM. Default: a self-signed certificate for localhost.'),
    tlsPrivateKeyFile: z.string().optional().describe('File with the key of --tls-cert-file, PEM.'),
    authenticationKubeconfig: z
      .string()
      .optional()
      .describe('Kubeconfig of the API server that gets the TokenReviews of --secure-port. Default: --kubeconfig.'),
    authorizationKubeconfig: z
      .string()
      .optional()
      .describe('Kubeconfig of the API server that gets its SubjectAccessReviews. Default: --kubeconfig.'),
    featureGates: z
      .string()
      .default('')
      .describe('Feature gates, A=true,B=false. A gate that would change placement is refused, others have no effect.'),
    profiling: z.boolean().optional().describe('Accepted, but has no effect: there is no Go profiler.'),
    v: z.int().min(0).default(2).describe('Log verbosity of kube-scheduler: from 4 on, --log-level is debug.'),
    validate: z
      .boolean()
      .default(false)
      .describe('Check flags, configuration and plugins, then exit: 0 if they are valid, otherwise 2.'),
    writeConfigTo: z.string().optional().describe('Write the effective configuration to this file and exit.'),
  }),
  flags: {
    config: { placeholder: 'FILE' },
    kubeconfig: { placeholder: 'FILE' },
    schedulerName: { placeholder: 'NAME' },
    leaderElectResourceName: { placeholder: 'NAME' },
    leaderElectResourceNamespace: { placeholder: 'NAMESPACE' },
    leaderElectLeaseDuration: { placeholder: 'DURATION' },
    leaderElectRenewDeadline: { placeholder: 'DURATION' },
    leaderElectRetryPeriod: { placeholder: 'DURATION' },
    pluginDir: { placeholder: 'DIR' },
    pluginModules: { placeholder: 'NAME' },
    bindAddress: { placeholder: 'HOST' },
    tlsCertFile: { placeholder: 'FILE' },
    tlsPrivateKeyFile: { placeholder: 'FILE' },
    authenticationKubeconfig: { placeholder: 'FILE' },
    authorizationKubeconfig: { placeholder: 'FILE' },
    featureGates: { placeholder: 'GATES' },
    v: { short: 'v', placeholder: 'LEVEL' },
    writeConfigTo: { placeholder: 'FILE' },
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
