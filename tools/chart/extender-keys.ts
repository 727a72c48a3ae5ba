import { z } from 'zod'
import { imageKeys } from './image-keys.ts'
import { clientConnection, containerResources, issuerReference, schedulerProfile } from './kubernetes-keys.ts'
import { namesExistingSecrets } from './value-rules.ts'
import { deploymentKeys, replicas } from './workload-keys.ts'

const kubeScheduler = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Whether a second kube-scheduler runs beside the extender and calls it over loopback.'),
    image: imageKeys('Image of kube-scheduler; the tag follows the version of the cluster.'),
    profile: schedulerProfile('Its profile, without schedulerName: plugins, pluginConfig, percentageOfNodesToScore.'),
    config: z
      .strictObject({
        parallelism: z.int().positive().optional().describe('Nodes that are filtered at a time.'),
        percentageOfNodesToScore: z.int().min(0).max(100).optional().describe('Feasible nodes that are enough.'),
        podInitialBackoffSeconds: z.int().positive().optional().describe('Wait after the first failed attempt.'),
        podMaxBackoffSeconds: z.int().positive().optional().describe('Longest wait after a failed attempt.'),
        clientConnection: clientConnection('Its connection to the API server: qps, burst.').optional(),
      })
      .describe('Further keys of its KubeSchedulerConfiguration.'),
    resources: containerResources('Requests and limits of its container.'),
    extraArgs: z.array(z.string()).describe('Further flags of kube-scheduler.'),
  })
  .describe('The kube-scheduler that calls the extender.')

const tls = z
  .strictObject({
    mode: z
      .enum(['chart', 'cert-manager', 'existing'])
      .describe(
        'Who makes the certificates: the chart, once; cert-manager; or you, in Secrets with ca.crt, tls.crt, tls.key.',
      ),
    validityDays: z
      .int()
      .min(1)
      .max(36_500)
      .describe('For how long those of the chart are valid, and the CA with cert-manager.'),
    issuerRef: issuerReference('Issuer for cert-manager; empty: one that the chart makes for this alone.'),
    serverSecretName: z
      .string()
      .describe(
        'Secret with the server certificate of the extender, valid for 127.0.0.1. Required with mode existing.',
      ),
    clientSecretName: z
      .string()
      .describe('Secret with the client certificate of kube-scheduler. Required with mode existing.'),
  })
  .meta(namesExistingSecrets)
  .describe('Certificates by which extender and kube-scheduler prove themselves to each other.')

/** Keys of `extender` besides `enabled` and `config`. */
export const extenderKeys = {
  schedulerName: z
    .string()
    .min(1)
    .describe(
      'schedulerName of the pods that the second kube-scheduler and the extender place. Not default-scheduler.',
    ),
  managedResources: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[^/\s]+\/[^/\s]+$/)
          .describe('Exact name of an extended resource.'),
        ignoredByScheduler: z
          .boolean()
          .optional()
          .describe('kube-scheduler does not count it: the extender alone judges. Default: false.'),
      }),
    )
    .describe('Only pods that ask for one of them are sent to the extender; empty: all that name the scheduler.'),
  httpTimeout: z
    .string()
    .regex(/^[12](?:\.\d+)?s$|^[1-9]\d{2,3}ms$/)
    .describe('Longest wait of kube-scheduler, up to 2.9 s.'),
  weight: z.int().min(1).max(1000).describe('Factor of the extender’s scores.'),
  ignorable: z.boolean().describe('Whether kube-scheduler goes on without an extender that fails.'),
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
} as const
