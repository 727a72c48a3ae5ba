import type { ResourceKind } from './resource-kind.ts'

// group/version, plural, kind, scope (N or C), options: status, scale, generation, categories, short names.
const ROWS = `
v1 pods Pod N status generation all po
v1 nodes Node C status no
v1 namespaces Namespace C status ns
v1 events Event N ev
v1 services Service N status all svc
v1 endpoints Endpoints N ep
v1 configmaps ConfigMap N cm
v1 secrets Secret N
v1 serviceaccounts ServiceAccount N sa
v1 persistentvolumes PersistentVolume C status pv
v1 persistentvolumeclaims PersistentVolumeClaim N status pvc
v1 replicationcontrollers ReplicationController N status scale generation all rc
v1 resourcequotas ResourceQuota N status quota
v1 limitranges LimitRange N limits
apps/v1 deployments Deployment N status scale generation all deploy
apps/v1 replicasets ReplicaSet N status scale generation all rs
apps/v1 daemonsets DaemonSet N status generation all ds
apps/v1 statefulsets StatefulSet N status scale generation all sts
apps/v1 controllerrevisions ControllerRevision N
batch/v1 jobs Job N status generation all
batch/v1 cronjobs CronJob N status generation all cj
coordination.k8s.io/v1 leases Lease N
discovery.k8s.io/v1 endpointslices EndpointSlice N generation
events.k8s.io/v1 events Event N ev
storage.k8s.io/v1 storageclasses StorageClass C sc
storage.k8s.io/v1 csinodes CSINode C
storage.k8s.io/v1 csidrivers CSIDriver C
storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity N
storage.k8s.io/v1 volumeattachments VolumeAttachment C status
scheduling.k8s.io/v1 priorityclasses PriorityClass C generation pc
policy/v1 poddisruptionbudgets PodDisruptionBudget N status generation pdb
rbac.authorization.k8s.io/v1 roles Role N
rbac.authorization.k8s.io/v1 rolebindings RoleBinding N
rbac.authorization.k8s.io/v1 clusterroles ClusterRole C
rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding C
admissionregistration.k8s.io/v1 validatingadmissionpolicies ValidatingAdmissionPolicy C status generation api-extensions
admissionregistration.k8s.io/v1 validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding C generation api-extensions
admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration C generation api-extensions
admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration C generation api-extensions
apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition C status generation api-extensions crd crds
`

const CATEGORIES = ['all', 'api-extensions']
const OPTIONS = new Set(['status', 'scale', 'generation', ...CATEGORIES])

function parseRow(row: string): ResourceKind {
  const [groupVersion = '', plural = '', kind = '', scope, ...words] = row.split(' ')
  const [first = '', second] = groupVersion.split('/')
  const group = second === undefined ? '' : first
  return {
    group,
    version: second ?? first,
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: scope === 'N',
    shortNames: words.filter((word) => !OPTIONS.has(word)),
    categories: words.filter((word) => CATEGORIES.includes(word)),
    hasStatus: words.includes('status'),
    hasScale: words.includes('scale'),
    hasGeneration: words.includes('generation'),
    typeName: group === 'events.k8s.io' ? 'RegardingEvent' : kind,
    storage: group === 'events.k8s.io' ? '/events' : `${group}/${plural}`,
  }
}

/** The resources of Kubernetes v1.36 that the server serves from its start. */
export const builtInKinds: readonly ResourceKind[] = ROWS.trim().split('\n').map(parseRow)
