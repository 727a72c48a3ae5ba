/** Reference of a dependent to its owner (`meta/v1.OwnerReference`). */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** `meta/v1.ObjectMeta`. Absent fields mean Go's zero value. */
export interface ObjectMeta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  /** RFC 3339, seconds. */
  readonly creationTimestamp?: string | null
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly unknown[]
}

/** The fields that all API objects share. */
export interface KubernetesObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: ObjectMeta
}

/** `meta/v1.ListMeta`. */
export interface ListMeta {
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** A list of one kind. */
export interface KubernetesList<T> {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ListMeta
  readonly items: readonly T[]
}

/** `meta/v1.Status`: the response of the API server when it returns no object. */
export interface Status {
  readonly kind?: 'Status'
  readonly apiVersion?: 'v1'
  readonly metadata?: ListMeta
  readonly status?: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  /** HTTP status. */
  readonly code?: number
  readonly details?: {
    readonly name?: string
    readonly group?: string
    readonly kind?: string
    readonly uid?: string
    readonly retryAfterSeconds?: number
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
  }
}

/** One frame of a watch. */
export interface WatchEvent<T = KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: T
}

/** `meta/v1.LabelSelectorRequirement`. */
export interface LabelSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** `meta/v1.LabelSelector`. Absent selects nothing, empty selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}
