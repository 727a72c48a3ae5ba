/** Name of a type whose JSON is not an object with fields. `RawExtension`, `FieldsV1` and `JSON` hold any JSON. */
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
  | 'RawExtension'
  | 'FieldsV1'
  | 'JSON'

/** The shape of a value. */
export type FieldType =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'object'; readonly object: ObjectType }
  | { readonly kind: 'list'; readonly element: FieldType }
  /** A map with string keys. */
  | { readonly kind: 'map'; readonly element: FieldType }

/** A JSON object with known fields; in protobuf, a message. */
export interface ObjectType {
  /** Name of the Go type: `PodSpec`. */
  readonly name: string
  /** Name in OpenAPI: `io.k8s.api.core.v1.PodSpec`. */
  readonly modelName: string
  /** Whether it has `apiVersion` and `kind`, which protobuf keeps outside the message. */
  readonly isRoot: boolean
  /** Whether its JSON is the value of the one field that is set, without an object around it. */
  readonly isUnion: boolean
  /** Whether server-side apply owns it as a whole, not field by field (`x-kubernetes-map-type: atomic`). */
  readonly isAtomic: boolean
  /** Fields by their JSON name, those of inlined types included. */
  readonly fields: ReadonlyMap<string, Field>
  /** Fields and inlined types by protobuf number; absent for types that protobuf does not carry. */
  readonly members?: ReadonlyMap<number, Member>
}

/** A member of a protobuf message: a field, or an inlined message, whose fields belong to the outer object in JSON. */
export type Member =
  | { readonly kind: 'field'; readonly field: Field; readonly encoding: Encoding }
  | { readonly kind: 'inlined'; readonly object: ObjectType }

/** How Go writes a field. */
export interface Encoding {
  /** Whether the Go field is a pointer: a zero value that was sent stays. */
  readonly isPointer: boolean
  /** Whether JSON has the field even when it is empty (no `omitempty`). */
  readonly keepsEmpty: boolean
  /** Whether JSON leaves the field out when it is zero, although it is a struct (`omitzero`). */
  readonly omitsZero: boolean
  /** Whether a message with the items as its field 1 holds the list in protobuf. Lists inside maps always have one. */
  readonly isWrapped: boolean
}

/** A field of an object type. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly isRequired: boolean
  /** How server-side apply owns the items of a list (`x-kubernetes-list-type`). Absent: as a whole. */
  readonly list?:
    | { readonly kind: 'atomic' }
    | { readonly kind: 'set' }
    | { readonly kind: 'map'; readonly keys: readonly string[] }
  /** Whether server-side apply owns the map or object as a whole. */
  readonly isAtomic: boolean
  /** How a strategic merge patch treats the field; `key` is absent for lists of scalars. */
  readonly patch?: { readonly strategies: readonly string[]; readonly key?: string }
}
