import type { ApiObject } from '../../schema/json/api-object.ts'
import type { Strategy } from './strategy.ts'
import type { SelectableFields } from '../selectors/field-selector.ts'
import type { Column } from '../table/column.ts'
import type { StructuralSchema } from '../../schema/structural/structural-schema.ts'

/** What is special about a kind that a CustomResourceDefinition defines. */
export interface CustomResource {
  /** Name of the definition. */
  readonly definition: string
  /** `apiVersion` that objects are stored in. */
  readonly storedAs: string
  readonly listKind: string
  readonly schema: StructuralSchema
  readonly strategy: Strategy
  readonly columns: readonly Column[]
  readonly selectable: SelectableFields
  readonly scale: ScalePaths | undefined
  /** Text of the Warning header that requests for a deprecated version get. */
  readonly deprecation: string | undefined
  /** The definition is being deleted: nothing new may come. */
  readonly isTerminating: boolean
  /** An object of this version as the storage keeps it: without what the stored version does not have. */
  readonly atRest: (object: ApiObject) => ApiObject
  /** A stored object as this version shows it. */
  readonly show: (stored: ApiObject) => ApiObject
}

/** Where an object keeps what its scale subresource speaks of. */
export interface ScalePaths {
  readonly spec: readonly string[]
  readonly status: readonly string[]
  /** Path of a label selector as text. */
  readonly selector?: readonly string[]
}
