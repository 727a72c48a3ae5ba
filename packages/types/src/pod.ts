import type { LabelSelector, ObjectMeta } from './object-meta.ts'
import type { Affinity } from './affinity.ts'
import type { Volume } from './volume.ts'

/** Resource name -> quantity text as in the API ("500m", "4"). Numbers appear in hand-written YAML. */
export type ResourceList = Readonly<Record<string, string | number>>

/** `v1.ResourceRequirements`. */
export interface ResourceRequirements {
  readonly requests?: ResourceList
  readonly limits?: ResourceList
  readonly claims?: readonly { readonly name: string; readonly request?: string }[]
}

/** `v1.ContainerPort`. */
export interface ContainerPort {
  readonly name?: string
  readonly containerPort: number
  readonly hostPort?: number
  readonly hostIP?: string
  readonly protocol?: string
}

/** `v1.Container`, cut to what deciding, advertising and showing need. */
export interface Container {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly resources?: ResourceRequirements
  readonly ports?: readonly ContainerPort[]
  /** `Always` on an init container makes it a sidecar. */
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly { readonly action: string }[]
}

/** `v1.Toleration`. */
export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

/** `v1.TopologySpreadConstraint`. */
export interface TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: string
  readonly labelSelector?: LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: string
  readonly nodeTaintsPolicy?: string
  readonly matchLabelKeys?: readonly string[]
}

/** `v1.PodSpec`, cut to what a decision or a view can need. */
export interface PodSpec {
  readonly nodeName?: string
  readonly schedulerName?: string
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly ephemeralContainers?: readonly Container[]
  readonly overhead?: ResourceList
  /** Pod-level resources (KEP-2837). */
  readonly resources?: ResourceRequirements
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly affinity?: Affinity
  readonly tolerations?: readonly Toleration[]
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  readonly priority?: number
  readonly priorityClassName?: string
  readonly preemptionPolicy?: string
  readonly schedulingGates?: readonly { readonly name: string }[]
  readonly resourceClaims?: readonly {
    readonly name: string
    readonly resourceClaimName?: string
    readonly resourceClaimTemplateName?: string
  }[]
  /** Membership in a PodGroup, since Kubernetes 1.36 (feature gate GenericWorkload). */
  readonly schedulingGroup?: { readonly podGroupName?: string }
  /** Membership in a pod group of a Workload, in Kubernetes 1.35 only (feature gate GenericWorkload). */
  readonly workloadRef?: { readonly name: string; readonly podGroup: string; readonly podGroupReplicaKey?: string }
  readonly volumes?: readonly Volume[]
  readonly hostNetwork?: boolean
  /** False gives the pod a user namespace of its own. */
  readonly hostUsers?: boolean
  readonly restartPolicy?: string
  readonly serviceAccountName?: string
  readonly terminationGracePeriodSeconds?: number
}

/** `v1.PodCondition`. */
export interface PodCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastProbeTime?: string | null
  readonly lastTransitionTime?: string
  readonly observedGeneration?: number
}

/** Devices of one resource that a container holds, with their health (KEP-4680). */
export interface ResourceStatus {
  readonly name: string
  readonly resources?: readonly { readonly resourceID: string; readonly health?: string }[]
}

/** `v1.ContainerStatus`, cut. */
export interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly restartCount?: number
  readonly image?: string
  readonly imageID?: string
  readonly containerID?: string
  readonly started?: boolean
  readonly state?: Readonly<Record<string, unknown>>
  readonly lastState?: Readonly<Record<string, unknown>>
  readonly resources?: ResourceRequirements
  readonly allocatedResources?: ResourceList
  readonly allocatedResourcesStatus?: readonly ResourceStatus[]
}

/** `v1.PodStatus`, cut. */
export interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly conditions?: readonly PodCondition[]
  readonly nominatedNodeName?: string
  readonly startTime?: string
  readonly hostIP?: string
  readonly podIP?: string
  readonly resize?: string
  readonly qosClass?: string
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
  /** Pod-level resources as actuated (in-place resize). */
  readonly resources?: ResourceRequirements
  readonly allocatedResources?: ResourceList
}

/** `v1.Pod`. */
export interface Pod {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
  readonly status?: PodStatus
}

/** `v1.Binding`: the body of POST pods/NAME/binding. */
export interface Binding {
  readonly apiVersion: 'v1'
  readonly kind: 'Binding'
  readonly metadata: ObjectMeta
  readonly target: { readonly apiVersion?: 'v1'; readonly kind: 'Node'; readonly name: string }
}
