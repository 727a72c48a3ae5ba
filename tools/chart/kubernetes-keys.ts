import { z } from 'zod'

// What the API server takes (v1.36), one level deep: a misspelt key is named before anything is installed, and what stands
// below it is the API server's to judge. The keys have no descriptions of ours: they are not listed as values of the chart.

const anyObject = z.looseObject({})
const name = z.string().min(1)
const text = z.string().optional()
const volumeSources = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'fc',
  'flexVolume',
  'gcePersistentDisk',
  'glusterfs',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'persistentVolumeClaim',
  'portworxVolume',
  'projected',
  'rbd',
  'scaleIO',
  'secret',
  'storageos',
  'vsphereVolume',
]
const volumeSourceKeys = Object.fromEntries(volumeSources.map((key) => [key, z.unknown().optional()]))

/** ResourceRequirements of a container. */
export function containerResources(description: string): z.ZodType {
  const amounts = z.record(z.string(), z.union([z.string(), z.number()])).optional()
  return z
    .strictObject({ requests: amounts, limits: amounts, claims: z.array(anyObject).optional() })
    .describe(description)
}

/** Affinity of a pod. */
export function podAffinity(description: string): z.ZodType {
  const part = anyObject.optional()
  return z.strictObject({ nodeAffinity: part, podAffinity: part, podAntiAffinity: part }).describe(description)
}

/** Tolerations of a pod. */
export function podTolerations(description: string): z.ZodType {
  const toleration = z.strictObject({
    key: text,
    operator: z.enum(['Exists', 'Equal', 'Lt', 'Gt']).optional(),
    value: text,
    effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
    tolerationSeconds: z.int().optional(),
  })
  return z.array(toleration).describe(description)
}

/** TopologySpreadConstraints of a pod. */
export function spreadConstraints(description: string): z.ZodType {
  const constraint = z.strictObject({
    maxSkew: z.int().min(1),
    topologyKey: name,
    whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: anyObject.optional(),
    matchLabelKeys: z.array(z.string()).optional(),
    minDomains: z.int().min(1).optional(),
    nodeAffinityPolicy: z.enum(['Honor', 'Ignore']).optional(),
    nodeTaintsPolicy: z.enum(['Honor', 'Ignore']).optional(),
  })
  return z.array(constraint).describe(description)
}

/** SELinuxOptions of a pod. */
export function seLinuxOptions(description: string): z.ZodType {
  return z.strictObject({ user: text, role: text, type: text, level: text }).describe(description)
}

/** The source of a volume, without its name. */
export function volumeSource(description: string): z.ZodType {
  return z.strictObject(volumeSourceKeys).describe(description)
}

/** Volumes of a pod. */
export function volumes(description: string): z.ZodType {
  return z.array(z.strictObject({ name, ...volumeSourceKeys })).describe(description)
}

/** Mounts of a container. */
export function volumeMounts(description: string): z.ZodType {
  const mount = z.strictObject({
    name,
    mountPath: name,
    readOnly: z.boolean().optional(),
    recursiveReadOnly: text,
    mountPropagation: z.enum(['None', 'HostToContainer', 'Bidirectional']).optional(),
    subPath: text,
    subPathExpr: text,
  })
  return z.array(mount).describe(description)
}

/** Environment variables of a container. */
export function environmentVariables(description: string): z.ZodType {
  const variable = z.strictObject({ name, value: text, valueFrom: anyObject.optional() })
  return z.array(variable).describe(description)
}

/** Names of Secrets for pulling images. */
export function pullSecrets(description: string): z.ZodType {
  return z.array(z.strictObject({ name })).describe(description)
}

/** Peers of a NetworkPolicy. */
export function networkPeers(description: string): z.ZodType {
  const part = anyObject.optional()
  return z.array(z.strictObject({ ipBlock: part, namespaceSelector: part, podSelector: part })).describe(description)
}

/** Who may be bound to something: User, Group, ServiceAccount. */
export function roleSubjects(description: string): z.ZodType {
  const subject = z.strictObject({
    kind: z.enum(['User', 'Group', 'ServiceAccount']),
    name,
    namespace: text,
    apiGroup: text,
  })
  return z.array(subject).describe(description)
}

/** Reference to an issuer of cert-manager; empty: none. */
export function issuerReference(description: string): z.ZodType {
  const reference = z.strictObject({ name, kind: text, group: text })
  return z.union([z.strictObject({}), reference]).describe(description)
}

/** A profile of kube-scheduler, less its name. */
export function schedulerProfile(description: string): z.ZodType {
  return z
    .strictObject({
      plugins: anyObject.optional(),
      pluginConfig: z.array(anyObject).optional(),
      percentageOfNodesToScore: z.int().min(0).max(100).optional(),
    })
    .describe(description)
}

/** How kube-scheduler calls the API server. */
export function clientConnection(description: string): z.ZodType {
  return z
    .strictObject({
      qps: z.number().optional(),
      burst: z.int().optional(),
      acceptContentTypes: text,
      contentType: text,
    })
    .describe(description)
}
