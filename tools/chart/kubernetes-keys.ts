import { z } from 'zod'

// Kubernetes' own types (v1.36), checked one level deep: a misspelled key is reported before anything is installed, and the
// API server validates the rest. The keys have no descriptions, because the table of chart values does not list them.

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
const volumeSourceKeys = {
  ...Object.fromEntries(volumeSources.map((key) => [key, z.unknown().optional()])),
  image: z
    .strictObject({ reference: name, pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional() })
    .optional(),
}

/** Returns the schema of the ResourceRequirements of a container. */
export function containerResources(description: string): z.ZodType {
  const amounts = z.record(z.string(), z.union([z.string(), z.number()])).optional()
  return z
    .strictObject({ requests: amounts, limits: amounts, claims: z.array(anyObject).optional() })
    .describe(description)
}

/** Returns the schema of the Affinity of a pod. */
export function podAffinity(description: string): z.ZodType {
  const part = anyObject.optional()
  return z.strictObject({ nodeAffinity: part, podAffinity: part, podAntiAffinity: part }).describe(description)
}

/** Returns the schema of the Tolerations of a pod. */
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

/** Returns the schema of the TopologySpreadConstraints of a pod. */
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

/** Returns the schema of the SELinuxOptions of a pod. */
export function seLinuxOptions(description: string): z.ZodType {
  return z.strictObject({ user: text, role: text, type: text, level: text }).describe(description)
}

/** Returns the schema of a VolumeSource: a volume without its name. */
export function volumeSource(description: string): z.ZodType {
  return z.strictObject(volumeSourceKeys).meta({ maxProperties: 1 }).describe(description)
}

/** Returns the schema of the Volumes of a pod. */
export function volumes(description: string): z.ZodType {
  return z.array(z.strictObject({ name, ...volumeSourceKeys })).describe(description)
}

/** Returns the schema of the VolumeMounts of a container. */
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

/** Returns the schema of the EnvVars of a container. */
export function environmentVariables(description: string): z.ZodType {
  const variable = z.strictObject({ name, value: text, valueFrom: anyObject.optional() })
  return z.array(variable).describe(description)
}

/** Returns the schema of imagePullSecrets. */
export function pullSecrets(description: string): z.ZodType {
  return z.array(z.strictObject({ name })).describe(description)
}

/** Returns the schema of the NetworkPolicyPeers of a network policy. */
export function networkPeers(description: string): z.ZodType {
  const part = anyObject.optional()
  return z.array(z.strictObject({ ipBlock: part, namespaceSelector: part, podSelector: part })).describe(description)
}

/** Returns the schema of the Subjects of a role binding: User, Group, ServiceAccount. */
export function roleSubjects(description: string): z.ZodType {
  const subject = z.strictObject({
    kind: z.enum(['User', 'Group', 'ServiceAccount']),
    name,
    namespace: text,
    apiGroup: text,
  })
  return z.array(subject).describe(description)
}

/** Returns the schema of a reference to a cert-manager issuer. An empty object means no reference. */
export function issuerReference(description: string): z.ZodType {
  const reference = z.strictObject({ name, kind: text, group: text })
  return z.union([z.strictObject({}), reference]).describe(description)
}

/** Returns the schema of a KubeSchedulerProfile without schedulerName. */
export function schedulerProfile(description: string): z.ZodType {
  return z
    .strictObject({
      plugins: anyObject.optional(),
      pluginConfig: z.array(anyObject).optional(),
      percentageOfNodesToScore: z.int().min(0).max(100).optional(),
    })
    .describe(description)
}

/** Returns the schema of ClientConnectionConfiguration. */
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
