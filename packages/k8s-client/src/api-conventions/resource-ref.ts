/** Names one resource type of the API. */
export interface ResourceRef {
  /** API group; empty for the core group. */
  readonly group: string
  readonly version: string
  /** Lower-case plural, as in the path. */
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Names one object of a resource type; only namespaced types have a `namespace`. */
export interface ObjectName {
  readonly namespace?: string | undefined
  readonly name: string
}

const namespaced = (group: string, plural: string, kind: string): ResourceRef => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced: true,
})
const clusterWide = (group: string, plural: string, kind: string): ResourceRef => ({
  ...namespaced(group, plural, kind),
  namespaced: false,
})

/** The keys of {@link resourceRefs}. */
export type ResourceRefName =
  | 'pods'
  | 'nodes'
  | 'namespaces'
  | 'services'
  | 'replicationControllers'
  | 'persistentVolumes'
  | 'persistentVolumeClaims'
  | 'configMaps'
  | 'events'
  | 'leases'
  | 'deployments'
  | 'replicaSets'
  | 'statefulSets'
  | 'daemonSets'
  | 'jobs'
  | 'podDisruptionBudgets'
  | 'storageClasses'
  | 'csiNodes'
  | 'csiDrivers'
  | 'csiStorageCapacities'
  | 'volumeAttachments'
  | 'deviceClasses'

/** The resource types that Berth reads or writes. */
export const resourceRefs: Readonly<Record<ResourceRefName, ResourceRef>> = {
  pods: namespaced('', 'pods', 'Pod'),
  nodes: clusterWide('', 'nodes', 'Node'),
  namespaces: clusterWide('', 'namespaces', 'Namespace'),
  services: namespaced('', 'services', 'Service'),
  replicationControllers: namespaced('', 'replicationcontrollers', 'ReplicationController'),
  persistentVolumes: clusterWide('', 'persistentvolumes', 'PersistentVolume'),
  persistentVolumeClaims: namespaced('', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  configMaps: namespaced('', 'configmaps', 'ConfigMap'),
  events: namespaced('events.k8s.io', 'events', 'Event'),
  leases: namespaced('coordination.k8s.io', 'leases', 'Lease'),
  deployments: namespaced('apps', 'deployments', 'Deployment'),
  replicaSets: namespaced('apps', 'replicasets', 'ReplicaSet'),
  statefulSets: namespaced('apps', 'statefulsets', 'StatefulSet'),
  daemonSets: namespaced('apps', 'daemonsets', 'DaemonSet'),
  jobs: namespaced('batch', 'jobs', 'Job'),
  podDisruptionBudgets: namespaced('policy', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  storageClasses: clusterWide('storage.k8s.io', 'storageclasses', 'StorageClass'),
  csiNodes: clusterWide('storage.k8s.io', 'csinodes', 'CSINode'),
  csiDrivers: clusterWide('storage.k8s.io', 'csidrivers', 'CSIDriver'),
  csiStorageCapacities: namespaced('storage.k8s.io', 'csistoragecapacities', 'CSIStorageCapacity'),
  volumeAttachments: clusterWide('storage.k8s.io', 'volumeattachments', 'VolumeAttachment'),
  deviceClasses: clusterWide('resource.k8s.io', 'deviceclasses', 'DeviceClass'),
}

/** Returns the `apiVersion` of objects of this type: `v1`, `apps/v1`. */
export function apiVersionOf(resource: ResourceRef): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

/**
 * Returns the path of a collection, without a query.
 *
 * @param namespace - Undefined means all namespaces.
 */
export function collectionPath(resource: ResourceRef, namespace?: string): string {
  const root = resource.group === '' ? '/api' : `/apis/${resource.group}`
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${root}/${resource.version}${scope}/${resource.plural}`
}

/** Returns the path of one object, without a query. The namespace of a namespaced type defaults to `default`. */
export function objectPath(resource: ResourceRef, target: ObjectName, subresource?: string): string {
  const namespace = resource.namespaced ? (target.namespace ?? 'default') : undefined
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(target.name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

/** Appends a query to a path; undefined values are omitted. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, value)
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}
