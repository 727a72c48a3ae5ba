import type { ApiObject } from '../../schema/json/api-object.ts'
import type { Strategy } from './strategy.ts'
import type { SelectableFields } from '../selectors/field-selector.ts'
import type { Column } from '../table/column.ts'
import type { StructuralSchema } from '../../schema/structural/structural-schema.ts'

/** The properties of a kind that only custom resources have, for one version of a definition. */
export interface CustomResource {
  /** Name of the CustomResourceDefinition. */
  readonly definition: string
  /** The `apiVersion` of stored objects. */
  readonly storageApiVersion: string
  readonly listKind: string
  readonly schema: StructuralSchema
  readonly strategy: Strategy
  readonly columns: readonly Column[]
  readonly selectableFields: SelectableFields
  readonly scale: ScalePaths | undefined
  /** Warning that requests for a deprecated version get. */
  readonly deprecationWarning: string | undefined
  /** Whether the definition is being deleted. No objects may be created then. */
  readonly isTerminating: boolean
  /** Converts an object of this version to the stored version, without fields that the stored version does not have. */
  readonly toStoredVersion: (object: ApiObject) => ApiObject
  /** Converts a stored object to this version. */
  readonly toServedVersion: (stored: ApiObject) => ApiObject
}

/** The paths that the scale subresource reads and writes. */
export interface ScalePaths {
  readonly spec: readonly string[]
  readonly status: readonly string[]
  /** Path of a serialized label selector. */
  readonly selector?: readonly string[]
}
