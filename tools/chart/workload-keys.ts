import { namespacedName } from '@berth/plugin-api'
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

/** A number or a percentage of pods. */
const podCount: z.ZodType = z.union([z.int().min(0), z.string().regex(/^\d+%$/)])

/** A number or a percentage of pods that is greater than zero. */
export const positivePodCount: z.ZodType = z.union([z.int().min(1), z.string().regex(/^(?:[1-9]\d?|100)%$/)])

/** Returns the schema of a map from string to string, such as labels and annotations. */
export function stringMap(description: string): z.ZodType {
  return z.record(z.string(), z.string()).describe(description)
}

/** Returns the schema of `plugins`: where contributed plugins are from, and further keys. */
function contributedPlugins(further: Readonly<Record<string, z.ZodType>>): z.ZodType {
  return z
    .strictObject({
      volume: volumeSource(
        'Source of an existing volume with plugins, mounted and passed as --plugin-dir. For example {configMap: {name: my-plugins}} or, from Kubernetes 1.35, {image: {reference: registry.example.com/my-plugins:1.0.0}}. Empty: none.',
      ),
      inImage: z
        .boolean()
        .describe('Declare that `image` contains plugins in /plugins, and pass that directory as --plugin-dir.'),
      ...further,
    })
    .describe('Contributed plugins: files, packages and archives of npm pack.')
}

const networkPolicyKeys = {
  enabled: z.boolean().describe('Create a NetworkPolicy that allows ingress only from the peers in `from`.'),
  from: networkPeers(
    'Peers that may connect to the pods, for example Prometheus. Required with podMonitor.enabled. Kubelet probes always pass.',
  ),
}

/** The key `networkPolicy` of an app that calls no other. */
export const closedNetworkPolicy: z.ZodType = z
  .strictObject({
    ...networkPolicyKeys,
    to: networkPeers('Peers that the pods may connect to, for example for a contributed device source. Empty: none.'),
  })
  .describe('NetworkPolicy of the pods, which also closes egress.')

/** Keys that every app with pods shares. */
export const workloadKeys = {
  resources: containerResources('Resource requests and limits of the container.'),
  serviceAccount: z
    .strictObject({
      name: z
        .string()
        .describe(
          'Name of an existing ServiceAccount with the permissions listed in the README. Empty: the chart creates one.',
        ),
      annotations: stringMap('Annotations of the ServiceAccount.'),
    })
    .describe('ServiceAccount of the pods.'),
  priorityClassName: z.string().describe('Priority class of the pods. Empty: none.'),
  podAnnotations: stringMap('Additional annotations of the pods.'),
  podLabels: stringMap('Additional labels of the pods.').meta(noOwnLabels),
  nodeSelector: stringMap('Node labels required to run the pods.'),
  affinity: podAffinity('Affinity of the pods.'),
  tolerations: podTolerations('Tolerations of the pods.'),
  plugins: contributedPlugins({}),
  extraArgs: z.array(z.string()).describe('Additional flags of the app. They take precedence over its configuration.'),
  extraEnv: environmentVariables('Additional environment variables of the container.'),
  extraVolumes: volumes('Additional volumes of the pods.'),
  extraVolumeMounts: volumeMounts('Additional volume mounts of the container.'),
  networkPolicy: z.strictObject(networkPolicyKeys).describe('NetworkPolicy of the pods.'),
} as const

/** Keys that every app with a Deployment shares. */
export const deploymentKeys = {
  ...workloadKeys,
  topologySpreadConstraints: spreadConstraints('Topology spread constraints of the pods.'),
  pdb: z
    .strictObject({
      enabled: z.boolean().describe('Create a PodDisruptionBudget.'),
      maxUnavailable: podCount.describe('Maximum number or percentage of pods that a drain may evict at once.'),
    })
    .describe('PodDisruptionBudget of the pods.'),
} as const

/** Number of replicas of a Deployment with leader election. */
export const replicas: z.ZodType = z
  .int()
  .min(0)
  .describe('Number of replicas. One is active; the others take over when it fails.')

/** The key `plugins` of an app that runs scheduling plugins. */
export const schedulingPlugins: z.ZodType = contributedPlugins({
  configMaps: z
    .array(namespacedName)
    .meta({ uniqueItems: true })
    .describe(
      'ConfigMaps that scheduling plugins read, such as the quotas of namespace-quota, as NAMESPACE/NAME. The app may list and watch these and no others. Their namespaces must exist.',
    ),
})
