import type { ObjectType } from '@berth/kube-schema'
import type { CustomResource } from './custom-resource.ts'
import type { ResourceIdentity } from '../../schema/status/api-errors.ts'

/** One resource type that the server serves. */
export interface ResourceKind extends ResourceIdentity {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly hasStatus: boolean
  readonly hasScale: boolean
  /** Whether `metadata.generation` counts changes of the desired state. */
  readonly hasGeneration: boolean
  /** The type of its objects: fields, list keys and merge strategies. */
  readonly type: ObjectType
  /** Name of the collection that holds the objects; two kinds can share one. */
  readonly storage: string
  /** Whether a created object is answered and not stored, such as a SubjectAccessReview. */
  readonly isReview?: boolean
  /** Set for kinds of a CustomResourceDefinition. */
  readonly custom?: CustomResource
}

/** Returns the `apiVersion` of a kind, such as `v1` or `apps/v1`. */
export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
}
