import type { ResourceRef } from '@berth/k8s-client'
import type { PodGroupApi } from '@berth/types'

/** An API group that may have pod groups, and its versions that Berth reads, the preferred one first. */
export interface PodGroupApiVersions {
  readonly api: PodGroupApi
  readonly versions: readonly string[]
}

/** Kubernetes 1.37 serves v1beta1, 1.36 v1alpha2 (behind the gate GenericWorkload); scheduler-plugins brings a CRD. */
export const podGroupApis: readonly PodGroupApiVersions[] = [
  { api: 'scheduling.k8s.io', versions: ['v1beta1', 'v1alpha2'] },
  { api: 'scheduling.x-k8s.io', versions: ['v1alpha1'] },
]

/** The plural of PodGroup in every API. */
export const POD_GROUPS = 'podgroups'

/** Returns the resource type of pod groups in one version of an API. */
export function podGroupResource(api: PodGroupApi, version: string): ResourceRef {
  return { group: api, version, plural: POD_GROUPS, kind: 'PodGroup', namespaced: true }
}
