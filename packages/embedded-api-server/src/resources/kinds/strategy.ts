import type { ApiObject } from '../../schema/json/api-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import type { Clock, Random } from '@berth/types'
import type { Store } from '../../store/store.ts'

/** The part of the server that a strategy may use. */
export interface StrategyContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}

/** Write rules of a subresource, other than `status`, that returns the whole object and changes a part of it. */
export interface SubresourceStrategy {
  /** Returns the old object with the part that the request may change. */
  readonly prepareUpdate: (object: ApiObject, old: ApiObject) => ApiObject
  /** Returns the errors of the prepared object. */
  readonly validate: (object: ApiObject, old: ApiObject) => readonly StatusCause[]
}

/**
 * The write rules of one kind (upstream's registry strategies): defaults, the fields that a request may set, and
 * validation. Members that are left out mean upstream's usual behaviour. No function changes its arguments.
 */
export interface Strategy {
  /** Fills in defaults. Runs on every write. */
  readonly defaults?: (object: ApiObject) => ApiObject
  /** Sets what the server decides about a new object, including upstream's admission plugins for the kind. */
  readonly prepareCreate?: (object: ApiObject, context: StrategyContext) => ApiObject
  /** Resets the fields that an update of the main resource may not change. `status` is always reset. */
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject) => ApiObject
  /** Resets the fields that an update of the status may not change. Default: all but `status` and `metadata`. */
  readonly prepareStatusUpdate?: (object: ApiObject, old: ApiObject) => ApiObject
  /** Further subresources, by name. */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy>>
  /** Returns the errors of an object. `old` is undefined on create. */
  readonly validate?: (object: ApiObject, old: ApiObject | undefined, isStatus: boolean) => readonly StatusCause[]
  /** Returns the status that an update of the main resource stores. Default: the old object's. */
  readonly keepStatus?: (object: ApiObject, old: ApiObject) => unknown
  /** Returns warnings about a new object that is accepted. */
  readonly warnings?: (object: ApiObject) => readonly string[]
  /** Whether a PUT creates an object that does not exist. */
  readonly createsOnUpdate?: boolean
  /** Whether a PUT must contain a resourceVersion. */
  readonly needsVersion?: boolean
  /** Finalizer that is added on deletion, so that the server can clean up first. */
  readonly deletionFinalizer?: string
  /** Whether a deletion responds with the object, also when it is removed at once. */
  readonly returnsDeleted?: boolean
}
