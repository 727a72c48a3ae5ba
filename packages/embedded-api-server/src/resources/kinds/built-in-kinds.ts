import { kubeSchema } from '../../schema/built-in-types.ts'
import type { ResourceKind } from './resource-kind.ts'

// What the schema does not contain about each kind: whether it counts generations, its categories and short names.
const ROWS = `
v1 Pod generation all po
v1 Node no
v1 Namespace ns
v1 Event ev
v1 Service all svc
v1 Endpoints ep
v1 ConfigMap cm
v1 Secret
v1 ServiceAccount sa
v1 PersistentVolume pv
v1 PersistentVolumeClaim pvc
v1 ReplicationController generation all rc
v1 ResourceQuota quota
v1 LimitRange limits
apps/v1 Deployment generation all deploy
apps/v1 ReplicaSet generation all rs
apps/v1 DaemonSet generation all ds
apps/v1 StatefulSet generation all sts
apps/v1 ControllerRevision
batch/v1 Job generation all
batch/v1 CronJob generation all cj
autoscaling/v2 HorizontalPodAutoscaler all hpa
networking.k8s.io/v1 NetworkPolicy generation netpol
networking.k8s.io/v1 Ingress generation ing
networking.k8s.io/v1 IngressClass generation
coordination.k8s.io/v1 Lease
discovery.k8s.io/v1 EndpointSlice generation
events.k8s.io/v1 Event ev
storage.k8s.io/v1 StorageClass sc
storage.k8s.io/v1 CSINode
storage.k8s.io/v1 CSIDriver
storage.k8s.io/v1 CSIStorageCapacity
storage.k8s.io/v1 VolumeAttachment
scheduling.k8s.io/v1 PriorityClass generation pc
policy/v1 PodDisruptionBudget generation pdb
resource.k8s.io/v1 DeviceClass generation
resource.k8s.io/v1 ResourceClaim
resource.k8s.io/v1 ResourceClaimTemplate
resource.k8s.io/v1 ResourceSlice generation
rbac.authorization.k8s.io/v1 Role
rbac.authorization.k8s.io/v1 RoleBinding
rbac.authorization.k8s.io/v1 ClusterRole
rbac.authorization.k8s.io/v1 ClusterRoleBinding
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy generation api-extensions
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding generation api-extensions
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration generation api-extensions
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration generation api-extensions
apiextensions.k8s.io/v1 CustomResourceDefinition generation api-extensions crd crds
`

const CATEGORIES: ReadonlySet<string> = new Set(['all', 'api-extensions'])

function parseRow(row: string): ResourceKind {
  const [apiVersion = '', kind = '', ...words] = row.split(' ')
  const names = words.filter((word) => word !== 'generation')
  const known = builtInKind(apiVersion, kind)
  return {
    ...known,
    shortNames: names.filter((word) => !CATEGORIES.has(word)),
    categories: names.filter((word) => CATEGORIES.has(word)),
    hasGeneration: words.includes('generation'),
    // The two event groups serve the same stored objects.
    storage: known.group === 'events.k8s.io' ? '/events' : `${known.group}/${known.plural}`,
  }
}

/** Returns the properties of a kind that the schema contains. */
export function builtInKind(
  apiVersion: string,
  kind: string,
): Omit<ResourceKind, 'shortNames' | 'categories' | 'hasGeneration' | 'storage'> {
  const { resource, group = '', version = '', type } = kubeSchema.kind(apiVersion, kind) ?? {}
  if (resource === undefined || type === undefined)
    throw new Error(`the schema lacks the resource ${apiVersion} ${kind}`)
  const { plural, isNamespaced, subresources } = resource
  return {
    group,
    version,
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: isNamespaced,
    hasStatus: subresources.includes('status'),
    hasScale: subresources.includes('scale'),
    type,
  }
}

/** The resources of Kubernetes v1.36 that the server serves from its start. */
export const builtInKinds: readonly ResourceKind[] = ROWS.trim().split('\n').map(parseRow)
