import type { ApiObject } from '../../schema/json/api-object.ts'
import type { StatusCause } from '../../schema/status/api-refusal.ts'
import type { Clock, Random } from '@berth/types'
import type { Store } from '../../store/store.ts'

/** The part of the server that a strategy may use. */
export interface StrategyContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}

/** A subresource, other than the status, that shows the whole object and changes a part of it. */
export interface SubresourceStrategy {
  /** The old object with the part that was sent. */
  readonly prepareUpdate: (object: ApiObject, old: ApiObject) => ApiObject
  /** What is wrong with the outcome. */
  readonly validate: (object: ApiObject, old: ApiObject) => readonly StatusCause[]
}

/** What differs from kind to kind when objects are written. Every function returns a new object. */
export interface Strategy {
  /** Fills what the writer left out; runs on every write. */
  readonly defaults?: (object: ApiObject) => ApiObject
  /** Decides what a new object starts with, whatever was sent; also upstream's admission for the kind. */
  readonly prepareCreate?: (object: ApiObject, context: StrategyContext) => ApiObject
  /** Takes back what an update of the main resource may not touch. `status` is taken back for every kind that has one. */
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject) => ApiObject
  /** The same for an update of the status subresource; by default `status` and metadata are taken from what was sent. */
  readonly prepareStatusUpdate?: (object: ApiObject, old: ApiObject) => ApiObject
  /** Subresources by name. */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy>>
  /** What is wrong with the object; `old` when it is being updated. */
  readonly validate?: (object: ApiObject, old: ApiObject | undefined, isStatus: boolean) => readonly StatusCause[]
  /** The status that an update of the main resource leaves; by default that of the old object. */
  readonly keepStatus?: (object: ApiObject, old: ApiObject) => unknown
  /** What a writer should know of a new object that is taken all the same. */
  readonly warnings?: (object: ApiObject) => readonly string[]
  /** A PUT makes the object where there is none. */
  readonly createsOnUpdate?: boolean
  /** A PUT must say which version it replaces. */
  readonly needsVersion?: boolean
  /** Holds an object that is being deleted until the server has cleaned up after it. */
  readonly deletionFinalizer?: string
  /** A deletion answers with the object even when it is gone at once. */
  readonly returnsDeleted?: boolean
}
