import { z } from 'zod'
import {
  containerResources,
  environmentVariables,
  networkPeers,
  podAffinity,
  podTolerations,
  spreadConstraints,
  volumeMounts,
  volumes,
  volumeSource,
} from './kubernetes-keys.ts'
import { noOwnLabels } from './value-rules.ts'

/** A number of pods, or a percentage of them. */
const podCount: z.ZodType = z.union([z.int().min(0), z.string().regex(/^\d+%$/)])

/** The same, and never none. */
export const somePods: z.ZodType = z.union([z.int().min(1), z.string().regex(/^(?:[1-9]\d?|100)%$/)])

/** Texts by keys of the user's choice: labels, annotations. */
export function texts(description: string): z.ZodType {
  return z.record(z.string(), z.string()).describe(description)
}

/** Keys that every app with pods has. */
export const workloadKeys = {
  resources: containerResources('Requests and limits of the container.'),
  serviceAccount: z
    .strictObject({
      name: z.string().describe('One of your own, with the rights of the README; empty: the chart makes it.'),
      annotations: texts('Annotations of the ServiceAccount.'),
    })
    .describe('Who the app is to the API server.'),
  priorityClassName: z.string().describe('Priority class of the pods; empty: none.'),
  podAnnotations: texts('Further annotations of the pods.'),
  podLabels: texts('Additional labels of the pods.').meta(noOwnLabels),
  nodeSelector: texts('Labels of nodes that the pods may run on.'),
  affinity: podAffinity('Affinity of the pods.'),
  tolerations: podTolerations('Taints that the pods tolerate.'),
  plugins: z
    .strictObject({
      volume: volumeSource(
        'Source of a volume that exists, for example {configMap: {name: my-plugins}} or {persistentVolumeClaim: {claimName: my-plugins}}; mounted for --plugin-dir. Empty: none.',
      ),
    })
    .describe('Contributed plugins that are not in the image.'),
  extraArgs: z.array(z.string()).describe('Further flags of the app; they go before its configuration.'),
  extraEnv: environmentVariables('Further environment variables of the container.'),
  extraVolumes: volumes('Further volumes of the pods.'),
  extraVolumeMounts: volumeMounts('Further mounts of the container.'),
  networkPolicy: z
    .strictObject({
      enabled: z.boolean().describe('Whether connections to the pods are closed to everybody but those in `from`.'),
      from: networkPeers(
        'Peers that may connect to the pods, for example Prometheus. Required with podMonitor.enabled. Kubelet probes always pass.',
      ),
    })
    .describe('NetworkPolicy of the pods.'),
} as const

/** Keys that every app with a Deployment has besides. */
export const deploymentKeys = {
  ...workloadKeys,
  topologySpreadConstraints: spreadConstraints('How the pods are spread.'),
  pdb: z
    .strictObject({
      enabled: z.boolean().describe('Whether there is a PodDisruptionBudget.'),
      maxUnavailable: podCount.describe('Pods that a drain may take away at once.'),
    })
    .describe('PodDisruptionBudget of the pods.'),
} as const

/** How many pods there are. */
export const replicas: z.ZodType = z
  .int()
  .min(0)
  .describe('Pods; of several, one works and the others wait for it to fail.')
