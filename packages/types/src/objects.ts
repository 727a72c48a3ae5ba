import type { LabelSelector, ObjectMeta } from './object-meta.ts'
import type { PodSpec } from './pod.ts'

/** `v1.Namespace`. */
export interface Namespace {
  readonly metadata: ObjectMeta
  readonly status?: { readonly phase?: string }
}

/** `v1.ConfigMap`, cut. */
export interface ConfigMap {
  readonly metadata: ObjectMeta
  readonly data?: Readonly<Record<string, string>>
}

/** `coordination/v1.Lease`. Times are MicroTime: RFC 3339 with six fraction digits. */
export interface Lease {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly spec?: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
    readonly [field: string]: unknown
  }
}

/** `v1.ObjectReference`. */
export interface ObjectReference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly fieldPath?: string
}

/** `events.k8s.io/v1.Event`. */
export interface Event {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  /** MicroTime. */
  readonly eventTime: string
  readonly reportingController: string
  readonly reportingInstance: string
  readonly action: string
  readonly reason: string
  readonly regarding: ObjectReference
  readonly related?: ObjectReference
  readonly note?: string
  readonly type: 'Normal' | 'Warning'
  readonly series?: { readonly count: number; readonly lastObservedTime: string }
}

/** `policy/v1.PodDisruptionBudget`, cut. */
export interface PodDisruptionBudget {
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly selector?: LabelSelector
    readonly minAvailable?: number | string
    readonly maxUnavailable?: number | string
  }
  readonly status?: { readonly disruptionsAllowed?: number; readonly disruptedPods?: Readonly<Record<string, string>> }
}

/** `resource.k8s.io/v1.DeviceClass`, cut to the resource name with which pods can also request its devices. */
export interface DeviceClass {
  readonly metadata: ObjectMeta
  readonly spec?: { readonly extendedResourceName?: string }
}

/** Anything with a pod template: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, ReplicationController. */
export interface Workload {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: LabelSelector | Readonly<Record<string, string>>
    readonly template?: { readonly metadata?: ObjectMeta; readonly spec?: PodSpec }
    readonly [field: string]: unknown
  }
  readonly status?: Readonly<Record<string, unknown>>
}

/** `v1.Service`, cut. */
export interface Service {
  readonly metadata: ObjectMeta
  readonly spec?: { readonly selector?: Readonly<Record<string, string>>; readonly [field: string]: unknown }
}
