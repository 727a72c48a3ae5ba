/** Name of a scalar in the notation; `any` is JSON of unknown shape. */
export type Scalar =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'Quantity'
  | 'Time'
  | 'MicroTime'
  | 'IntOrString'
  | 'any'

/** How OpenAPI says each scalar. */
export const SCALARS: Readonly<Record<Scalar, { readonly type: string; readonly format?: string }>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  Quantity: { type: 'string' },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  IntOrString: { type: 'string', format: 'int-or-string' },
  any: { type: 'object' },
}

/** The shape of a value. */
export type FieldType =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  /** A named type; where `object` is there it is that one, else one of the server's own. */
  | { readonly kind: 'ref'; readonly name: string; readonly object?: ObjectType }
  | { readonly kind: 'list'; readonly element: FieldType }
  | { readonly kind: 'map'; readonly element: FieldType }

/** A field of an object type. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly isRequired: boolean
  /** Who owns what of a list: each item by its keys, each value of a set, or the whole (absent). */
  readonly list?: { readonly kind: 'map'; readonly keys: readonly string[] } | { readonly kind: 'set' }
  /** The map or object is owned as a whole. */
  readonly isAtomic: boolean
  /** How a strategic merge patch treats the field; `key` is absent for lists of scalars. */
  readonly patch?: { readonly strategies: readonly string[]; readonly key?: string }
  readonly description?: string
  /** Where protobuf has it: field numbers from the type down (an embedded message's first), and whether zero is written. */
  readonly wire?: { readonly numbers: readonly number[]; readonly keepsZero: boolean }
}

/** A named object type. */
export interface ObjectType {
  readonly name: string
  /** Package that OpenAPI names it in: `io.k8s.api.core.v1`. */
  readonly package: string
  /** It is an API object: apiVersion and kind belong to it. */
  readonly isRoot: boolean
  readonly isAtomic: boolean
  readonly description?: string
  readonly fields: ReadonlyMap<string, Field>
}

/** Object types by name. */
export type TypeMap = ReadonlyMap<string, ObjectType>
