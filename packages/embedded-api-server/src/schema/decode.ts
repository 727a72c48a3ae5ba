import type { Field, FieldType, ObjectType, Scalar } from '@berth/kube-schema'
import { parseQuantity } from '@berth/resources'
import { isObject, type JsonObject } from './json/json-object.ts'

/** An object as the server understood it. */
export interface Decoded {
  /** Without nulls and without unknown fields; quantities in their canonical form. */
  readonly value: JsonObject
  /** Paths of the dropped fields. */
  readonly unknownFields: readonly string[]
}

/** A value with another JSON type than its field. The message has the form of Go's decoder. */
export class DecodeError extends Error {}

/**
 * Reads JSON as an object of the type.
 *
 * @throws DecodeError where a value has another JSON type than its field.
 */
export function decode(type: ObjectType, value: JsonObject): Decoded {
  const unknownFields: string[] = []
  return { value: decodeObject(type, value, ROOT, unknownFields), unknownFields }
}

/** Where a value is, as the two kinds of messages show it. */
interface Location {
  /** With the keys of maps and the indexes of lists: `spec.containers[0].name`. */
  readonly path: string
  /** Field names alone, as Go's decoder shows them: `spec.containers.name`. */
  readonly fieldStack: string
}

const ROOT: Location = { path: '', fieldStack: '' }

function decodeObject(type: ObjectType, value: JsonObject, at: Location, unknown: string[]): JsonObject {
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const inner = value[key]
    const field = type.fields.get(key)
    if (field === undefined) {
      if (type.isRoot && (key === 'apiVersion' || key === 'kind')) result[key] = inner
      else unknown.push(joined(at.path, key))
      continue
    }
    if (inner === null || inner === undefined) continue
    const decoded = decodeValue(field.type, inner, { ...below(at, key), owner: type, field }, unknown)
    if (decoded === undefined) continue
    if (field.isRequired || !isEmptyCollection(field.type, decoded)) result[key] = decoded
  }
  return result
}

// Go's omitempty: empty lists and maps are left out.
function isEmptyCollection(type: FieldType, value: unknown): boolean {
  if (type.kind === 'list') return Array.isArray(value) && value.length === 0
  return type.kind === 'map' && isObject(value) && Object.keys(value).length === 0
}

const ZEROS: ReadonlyMap<Scalar, unknown> = new Map<Scalar, unknown>([
  ['string', ''],
  ['bytes', ''],
  ['Quantity', '0'],
])

interface Place extends Location {
  readonly owner: ObjectType
  readonly field: Field
}

function decodeValue(type: FieldType, value: unknown, place: Place, unknown: string[]): unknown {
  switch (type.kind) {
    case 'scalar':
      return decodeScalar(type.scalar, value, place)
    case 'object':
      if (type.object.isUnion) return decodeUnion(type.object, value, place)
      if (!isObject(value)) throw mismatch(value, place, type.object.name)
      return decodeObject(type.object, value, place, unknown)
    case 'list': {
      if (!Array.isArray(value)) throw mismatch(value, place, 'slice')
      return value.map((item, i) => decodeValue(type.element, item, { ...place, path: `${place.path}[${i}]` }, unknown))
    }
    case 'map': {
      if (!isObject(value)) throw mismatch(value, place, `map[string]${goName(type.element)}`)
      const result: Record<string, unknown> = {}
      for (const key of Object.keys(value)) {
        if (value[key] === null) {
          // Go decodes null to the zero value of the element.
          const zero = type.element.kind === 'scalar' ? ZEROS.get(type.element.scalar) : undefined
          if (zero !== undefined) result[key] = zero
          continue
        }
        result[key] = decodeValue(type.element, value[key], { ...place, path: joined(place.path, key) }, unknown)
      }
      return result
    }
  }
}

/**
 * Reads a value as the alternative of a union that has its JSON type. Upstream decodes unions with code of their own,
 * which drops unknown fields and never reports them.
 */
function decodeUnion(union: ObjectType, value: unknown, place: Place): unknown {
  const alternatives = [...union.fields.values()].map((field) => field.type)
  if (typeof value === 'boolean') {
    if (alternatives.some((type) => type.kind === 'scalar' && type.scalar === 'bool')) return value
  } else if (typeof value === 'object') {
    const kind = Array.isArray(value) ? 'list' : 'object'
    const type = alternatives.find((each) => each.kind === kind)
    if (type !== undefined) return decodeValue(type, value, place, [])
  }
  if (union.fields.has('allows')) throw new DecodeError('boolean or JSON schema expected')
  return undefined
}

function decodeScalar(scalar: Scalar, value: unknown, place: Place): unknown {
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
      return decodeTime(value, place)
    case 'string':
    case 'bytes':
      if (typeof value === 'string') return value
      break
  }
  throw mismatch(value, place, scalar === 'bytes' ? '[]uint8' : scalar)
}

function decodeTime(value: unknown, place: Place): unknown {
  if (typeof value !== 'string') throw mismatch(value, place, 'time.Time')
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

function mismatch(value: unknown, place: Place, wanted: string): DecodeError {
  const got = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return new DecodeError(
    `json: cannot unmarshal ${got === 'boolean' ? 'bool' : got} into Go struct field ${place.owner.name}.${place.fieldStack} of type ${wanted}`,
  )
}

function goName(type: FieldType): string {
  return type.kind === 'scalar' ? type.scalar : type.kind === 'object' ? type.object.name : type.kind
}

function below({ path, fieldStack }: Location, key: string): Location {
  return { path: joined(path, key), fieldStack: joined(fieldStack, key) }
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
