import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import type {
  CsiDriver,
  CsiNode,
  DeviceClass,
  Lease,
  Namespace,
  Node,
  ObjectMeta,
  PersistentVolume,
  Pod,
  Service,
  StorageClass,
  VolumeAttachment,
  Workload,
} from '@berth/types'
import { endpointSlices, scalers } from './resource-refs.ts'

/** `discovery.k8s.io/v1.EndpointSlice`, cut. */
export interface EndpointSlice {
  readonly metadata: ObjectMeta
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[] | null
}

/** `resource.k8s.io/v1.DeviceClass` with its selectors. */
export interface SelectingDeviceClass extends DeviceClass {
  readonly spec?: {
    readonly extendedResourceName?: string
    readonly selectors?: readonly { readonly cel?: { readonly expression?: string } }[]
  }
}

/** `resource.k8s.io/v1.ResourceSlice`, cut. */
export interface ResourceSlice {
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly driver: string
    readonly nodeName?: string
    readonly pool?: { readonly name: string; readonly generation?: number; readonly resourceSliceCount?: number }
    readonly devices?: readonly unknown[]
  }
}

/** `resource.k8s.io/v1.ResourceClaim`, cut. */
export interface ResourceClaim {
  readonly metadata: ObjectMeta
  readonly status?: {
    readonly allocation?: { readonly devices?: { readonly results?: readonly { readonly driver?: string }[] } }
    readonly reservedFor?: readonly { readonly resource?: string; readonly name?: string }[]
  }
}

/** The place of a server that the API server calls. */
export interface CalledServer {
  readonly url?: string
  readonly service?: { readonly namespace: string; readonly name: string }
  readonly caBundle?: string
}

/** `admissionregistration.k8s.io/v1.MutatingWebhookConfiguration` or `ValidatingWebhookConfiguration`, cut. */
export interface WebhookConfiguration {
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly {
    readonly name: string
    readonly clientConfig: CalledServer
    readonly failurePolicy?: string
    readonly rules?: readonly { readonly operations?: readonly string[]; readonly resources?: readonly string[] }[]
  }[]
}

/** A condition that every kind spells alike. */
export interface ReportedCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** `apiregistration.k8s.io/v1.APIService`, cut. */
export interface ApiService {
  readonly metadata: ObjectMeta
  readonly spec?: {
    readonly group?: string
    readonly service?: { readonly namespace: string; readonly name: string } | null
  }
  readonly status?: { readonly conditions?: readonly ReportedCondition[] }
}

/** `apiextensions.k8s.io/v1.CustomResourceDefinition`, cut. */
export interface CustomResourceDefinition {
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly group: string
    readonly scope?: string
    readonly names: { readonly plural: string; readonly kind: string }
    readonly versions?: readonly { readonly name: string; readonly served?: boolean; readonly storage?: boolean }[]
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: CalledServer } }
  }
  readonly status?: { readonly conditions?: readonly ReportedCondition[] }
}

/** `autoscaling/v2.HorizontalPodAutoscaler`, cut. */
export interface HorizontalPodAutoscaler {
  readonly metadata: ObjectMeta
  readonly spec?: { readonly metrics?: readonly { readonly type: string }[] }
}

/** `node.k8s.io/v1.RuntimeClass`, cut. */
export interface RuntimeClass {
  readonly metadata: ObjectMeta
  readonly handler?: string
}

/** `rbac.authorization.k8s.io/v1.ClusterRole`, cut. */
export interface ClusterRole {
  readonly metadata: ObjectMeta
  readonly rules?:
    | readonly {
        readonly apiGroups?: readonly string[]
        readonly resources?: readonly string[]
        readonly verbs?: readonly string[]
      }[]
    | null
}

/** `rbac.authorization.k8s.io/v1.ClusterRoleBinding`, cut. */
export interface ClusterRoleBinding {
  readonly metadata: ObjectMeta
  readonly roleRef: { readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly namespace?: string; readonly name: string }[] | null
}

/** The objects of each kind that facts are read from. */
export interface ListedFacts {
  readonly nodes: readonly Node[]
  readonly namespaces: readonly Namespace[]
  readonly pods: readonly Pod[]
  readonly services: readonly Service[]
  readonly leases: readonly Lease[]
  readonly daemonSets: readonly Workload[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly persistentVolumes: readonly PersistentVolume[]
  readonly storageClasses: readonly StorageClass[]
  readonly csiDrivers: readonly CsiDriver[]
  readonly csiNodes: readonly CsiNode[]
  readonly volumeAttachments: readonly VolumeAttachment[]
  readonly deviceClasses: readonly SelectingDeviceClass[]
  readonly resourceSlices: readonly ResourceSlice[]
  readonly resourceClaims: readonly ResourceClaim[]
  readonly mutatingWebhooks: readonly WebhookConfiguration[]
  readonly validatingWebhooks: readonly WebhookConfiguration[]
  readonly apiServices: readonly ApiService[]
  readonly customResourceDefinitions: readonly CustomResourceDefinition[]
  readonly horizontalPodAutoscalers: readonly HorizontalPodAutoscaler[]
  readonly runtimeClasses: readonly RuntimeClass[]
  readonly clusterRoles: readonly ClusterRole[]
  readonly clusterRoleBindings: readonly ClusterRoleBinding[]
}

const ref = (group: string, plural: string, kind: string, namespaced = false): ResourceRef => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
})

/** The resource type of each fact that is a list. */
export const factRefs: Readonly<Record<keyof ListedFacts, ResourceRef>> = {
  nodes: resourceRefs.nodes,
  namespaces: resourceRefs.namespaces,
  pods: resourceRefs.pods,
  services: resourceRefs.services,
  leases: resourceRefs.leases,
  daemonSets: resourceRefs.daemonSets,
  endpointSlices,
  persistentVolumes: resourceRefs.persistentVolumes,
  storageClasses: resourceRefs.storageClasses,
  csiDrivers: resourceRefs.csiDrivers,
  csiNodes: resourceRefs.csiNodes,
  volumeAttachments: resourceRefs.volumeAttachments,
  deviceClasses: resourceRefs.deviceClasses,
  resourceSlices: ref('resource.k8s.io', 'resourceslices', 'ResourceSlice'),
  resourceClaims: ref('resource.k8s.io', 'resourceclaims', 'ResourceClaim', true),
  mutatingWebhooks: ref(
    'admissionregistration.k8s.io',
    'mutatingwebhookconfigurations',
    'MutatingWebhookConfiguration',
  ),
  validatingWebhooks: ref(
    'admissionregistration.k8s.io',
    'validatingwebhookconfigurations',
    'ValidatingWebhookConfiguration',
  ),
  apiServices: ref('apiregistration.k8s.io', 'apiservices', 'APIService'),
  customResourceDefinitions: ref('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition'),
  horizontalPodAutoscalers: scalers,
  runtimeClasses: ref('node.k8s.io', 'runtimeclasses', 'RuntimeClass'),
  clusterRoles: ref('rbac.authorization.k8s.io', 'clusterroles', 'ClusterRole'),
  clusterRoleBindings: ref('rbac.authorization.k8s.io', 'clusterrolebindings', 'ClusterRoleBinding'),
}

/** Objects of one custom kind. */
export interface CustomObjects {
  /** Name of the CustomResourceDefinition. */
  readonly definition: string
  readonly count: number
  /** Names of the field managers that wrote the status of the first object. */
  readonly statusWriters: readonly string[]
}
