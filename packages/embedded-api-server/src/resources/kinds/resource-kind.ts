import type { ObjectType } from '@berth/kube-schema'
import type { CustomResource } from './custom-resource.ts'
import type { ResourceIdentity } from '../../schema/status/api-errors.ts'

/** One resource that the server serves, as data. */
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
  /** Whether `metadata.generation` counts the changes of what is wanted. */
  readonly hasGeneration: boolean
  /** Type of its objects: what they may contain and how it is merged. */
  readonly type: ObjectType
  /** Name of the collection that holds the objects; two kinds can share one. */
  readonly storage: string
  /** Its objects are questions: they are answered, and not stored. */
  readonly isAnswered?: boolean
  /** What is special about a kind that is not the server's own. */
  readonly custom?: CustomResource
}

/** `v1` or `apps/v1`. */
export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
}
