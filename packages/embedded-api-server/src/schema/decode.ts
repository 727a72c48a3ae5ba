import type { Field, FieldType, ObjectType, Scalar } from '@berth/kube-schema'
import { parseQuantity } from '@berth/resources'
import { isObject, type JsonObject } from './json/json-object.ts'

/** A decoded object. */
export interface Decoded {
  /** The object without nulls and unknown fields, and with quantities in canonical form. */
  readonly value: JsonObject
  /** Paths of the dropped fields. */
  readonly unknownFields: readonly string[]
}

/** A value whose JSON type does not match its field. The message is the one of Go's decoder. */
export class DecodeError extends Error {}

/**
 * Decodes JSON as an object of the type.
 *
 * @throws DecodeError when the JSON type of a value does not match its field.
 */
export function decode(type: ObjectType, value: JsonObject): Decoded {
  const unknownFields: string[] = []
  return { value: decodeObject(type, value, ROOT, unknownFields), unknownFields }
}

/** The location of a value, in the formats of the two kinds of messages. */
interface ValueLocation {
  /** Path with map keys and list indexes, for unknown fields: `spec.containers[0].name`. */
  readonly path: string
  /** Field names only, for the messages of Go's decoder: `spec.containers.name`. */
  readonly fieldStack: string
}

const ROOT: ValueLocation = { path: '', fieldStack: '' }

function decodeObject(
  type: ObjectType,
  value: JsonObject,
  location: ValueLocation,
  unknownFields: string[],
): JsonObject {
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const inner = value[key]
    const field = type.fields.get(key)
    if (field === undefined) {
      if (type.isRoot && (key === 'apiVersion' || key === 'kind')) result[key] = inner
      else unknownFields.push(joinPath(location.path, key))
      continue
    }
    if (inner === null || inner === undefined) continue
    const decoded = decodeValue(
      field.type,
      inner,
      { ...childLocation(location, key), owner: type, field },
      unknownFields,
    )
    if (decoded === undefined) continue
    if (field.isRequired || !isEmptyCollection(field.type, decoded)) result[key] = decoded
  }
  return result
}

// Go's omitempty: empty lists and maps are omitted.
function isEmptyCollection(type: FieldType, value: unknown): boolean {
  if (type.kind === 'list') return Array.isArray(value) && value.length === 0
  return type.kind === 'map' && isObject(value) && Object.keys(value).length === 0
}

const ZERO_VALUES: ReadonlyMap<Scalar, unknown> = new Map<Scalar, unknown>([
  ['string', ''],
  ['bytes', ''],
  ['Quantity', '0'],
])

interface FieldLocation extends ValueLocation {
  readonly owner: ObjectType
  readonly field: Field
}

function decodeValue(type: FieldType, value: unknown, location: FieldLocation, unknownFields: string[]): unknown {
  switch (type.kind) {
    case 'scalar':
      return decodeScalar(type.scalar, value, location)
    case 'object':
      if (type.object.isUnion) return decodeUnion(type.object, value, location)
      if (!isObject(value)) throw mismatch(value, location, type.object.name)
      return decodeObject(type.object, value, location, unknownFields)
    case 'list': {
      if (!Array.isArray(value)) throw mismatch(value, location, 'slice')
      return value.map((item, i) =>
        decodeValue(type.element, item, { ...location, path: `${location.path}[${i}]` }, unknownFields),
      )
    }
    case 'map': {
      if (!isObject(value)) throw mismatch(value, location, `map[string]${goName(type.element)}`)
      const result: Record<string, unknown> = {}
      for (const key of Object.keys(value)) {
        if (value[key] === null) {
          // Go decodes null to the zero value of the element.
          const zero = type.element.kind === 'scalar' ? ZERO_VALUES.get(type.element.scalar) : undefined
          if (zero !== undefined) result[key] = zero
          continue
        }
        result[key] = decodeValue(
          type.element,
          value[key],
          { ...location, path: joinPath(location.path, key) },
          unknownFields,
        )
      }
      return result
    }
  }
}

/**
 * Decodes a value as the union alternative that has its JSON type. Upstream's own decoders for unions drop unknown fields
 * without reporting them, so this does too.
 */
function decodeUnion(union: ObjectType, value: unknown, location: FieldLocation): unknown {
  const alternatives = [...union.fields.values()].map((field) => field.type)
  if (typeof value === 'boolean') {
    if (alternatives.some((type) => type.kind === 'scalar' && type.scalar === 'bool')) return value
  } else if (typeof value === 'object') {
    const kind = Array.isArray(value) ? 'list' : 'object'
    const type = alternatives.find((each) => each.kind === kind)
    if (type !== undefined) return decodeValue(type, value, location, [])
  }
  if (union.fields.has('allows')) throw new DecodeError('boolean or JSON schema expected')
  return undefined
}

function decodeScalar(scalar: Scalar, value: unknown, location: FieldLocation): unknown {
  switch (scalar) {
    case 'RawExtension':
    case 'FieldsV1':
    case 'JSON':
      return value
    case 'Quantity':
      return decodeQuantity(value)
    case 'IntOrString':
      if (typeof value === 'string' || Number.isInteger(value)) return value
      break
    case 'bool':
      if (typeof value === 'boolean') return value
      break
    case 'int32':
    case 'int64':
      if (Number.isInteger(value)) return value
      break
    case 'double':
      if (typeof value === 'number') return value
      break
    case 'Time':
    case 'MicroTime':
      return decodeTime(value, location)
    case 'string':
    case 'bytes':
      if (typeof value === 'string') return value
      break
  }
  throw mismatch(value, location, scalar === 'bytes' ? '[]uint8' : scalar)
}

function decodeTime(value: unknown, location: FieldLocation): unknown {
  if (typeof value !== 'string') throw mismatch(value, location, 'time.Time')
  if (Number.isNaN(Date.parse(value))) {
    throw new DecodeError(
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)}`,
    )
  }
  return value
}

function decodeQuantity(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new DecodeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
  }
  try {
    return parseQuantity(value).toString()
  } catch {
    throw new DecodeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
  }
}

function mismatch(value: unknown, location: FieldLocation, expectedType: string): DecodeError {
  const got = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return new DecodeError(
    `json: cannot unmarshal ${got === 'boolean' ? 'bool' : got} into Go struct field ${location.owner.name}.${location.fieldStack} of type ${expectedType}`,
  )
}

function goName(type: FieldType): string {
  return type.kind === 'scalar' ? type.scalar : type.kind === 'object' ? type.object.name : type.kind
}

function childLocation({ path, fieldStack }: ValueLocation, key: string): ValueLocation {
  return { path: joinPath(path, key), fieldStack: joinPath(fieldStack, key) }
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
