import { extendedResourceName } from '@berth/plugin-api'
import { z } from 'zod'
import { imageKeys } from './image-keys.ts'
import { clientConnection, containerResources, issuerReference, schedulerProfile } from './kubernetes-keys.ts'
import { namesExistingSecrets } from './value-rules.ts'
import { deploymentKeys, replicas, schedulingPlugins } from './workload-keys.ts'

const kubeScheduler = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Run a second kube-scheduler in the pod of the extender. It calls the extender over loopback.'),
    image: imageKeys('Image of kube-scheduler. The default tag is the version of the cluster.'),
    profile: schedulerProfile(
      'Profile of kube-scheduler without schedulerName: plugins, pluginConfig, percentageOfNodesToScore.',
    ),
    config: z
      .strictObject({
        parallelism: z.int().positive().optional().describe('Number of nodes to filter in parallel.'),
        percentageOfNodesToScore: z
          .int()
          .min(0)
          .max(100)
          .optional()
          .describe('Percentage of nodes that, once found feasible, end the search.'),
        podInitialBackoffSeconds: z.int().positive().optional().describe('Backoff after the first failed attempt.'),
        podMaxBackoffSeconds: z.int().positive().optional().describe('Maximum backoff after a failed attempt.'),
        clientConnection: clientConnection('Connection of kube-scheduler to the API server: qps, burst.').optional(),
      })
      .describe('Additional keys of the KubeSchedulerConfiguration.'),
    resources: containerResources('Resource requests and limits of the kube-scheduler container.'),
    extraArgs: z.array(z.string()).describe('Additional flags of kube-scheduler.'),
  })
  .describe('kube-scheduler in the pod of the extender.')

const tls = z
  .strictObject({
    mode: z
      .enum(['authority', 'cert-manager', 'existing'])
      .describe(
        'Source of the certificates: authority (an app of this chart issues and renews them), cert-manager, or existing (your own Secrets with ca.crt, tls.crt and tls.key).',
      ),
    validityDays: z.int().min(1).max(36_500).describe('Validity in days of the CA with mode cert-manager.'),
    issuerRef: issuerReference('Issuer for mode cert-manager. Empty: the chart creates an issuer for the extender.'),
    serverSecretName: z
      .string()
      .describe(
        'Secret with the server certificate of the extender, which must be valid for 127.0.0.1. Required with mode existing.',
      ),
    clientSecretName: z
      .string()
      .describe('Secret with the client certificate of kube-scheduler. Required with mode existing.'),
  })
  .meta(namesExistingSecrets)
  .describe('Certificates for mutual TLS between kube-scheduler and the extender.')

/** The keys of `extender` in values.yaml other than `enabled` and `config`. */
export const extenderKeys = {
  schedulerName: z
    .string()
    .min(1)
    .describe(
      'schedulerName of the pods that the second kube-scheduler and the extender place. default-scheduler is refused.',
    ),
  managedResources: z
    .array(
      z.strictObject({
        name: extendedResourceName.describe('Exact name of an extended resource.'),
        ignoredByScheduler: z
          .boolean()
          .optional()
          .describe(
            'Make kube-scheduler ignore the resource, so that only the extender counts it. Requires config.bind. Default: false.',
          ),
      }),
    )
    .describe(
      'Extended resources that the extender handles: kube-scheduler calls it only for pods that request one of them. Empty: for all pods with this schedulerName.',
    ),
  httpTimeout: z
    .string()
    .regex(/^[12](?:\.\d+)?s$|^[1-9]\d{2,3}ms$/)
    .describe('Timeout of a call to the extender, at most 2.9s.'),
  weight: z.int().min(1).max(1000).describe('Weight of the scores of the extender.'),
  ignorable: z.boolean().describe('Let kube-scheduler continue without the extender when a call fails.'),
  kubeScheduler,
  service: z
    .strictObject({
      enabled: z
        .boolean()
        .describe(
          'Expose the extender through a Service, for your own kube-scheduler. Requires kubeScheduler.enabled=false.',
        ),
      type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).describe('Type of the Service.'),
      port: z.int().min(1).max(65_535).describe('Port of the Service.'),
    })
    .describe('Service of the extender. Exactly one of service.enabled and kubeScheduler.enabled must be true.'),
  tls,
  replicas,
  ...deploymentKeys,
  plugins: schedulingPlugins,
} as const
