import type { Encoding, Field, FieldType, ObjectType, Scalar } from '@berth/kube-schema'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { isObject, type JsonObject } from './json/json-object.ts'
import { sentKind } from './built-in-types.ts'

/** Prefix of a Kubernetes object in protobuf: `k8s` and a zero byte. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00]

/** An object that was decoded from protobuf. */
export interface ProtobufObject {
  readonly apiVersion: string
  readonly kind: string
  readonly value: JsonObject
}

/**
 * Decodes an object in Kubernetes' protobuf envelope to JSON. Omits zero values, except those of pointers.
 *
 * @throws Error when the bytes are not an object of a known kind.
 */
export function decodeProtobuf(bytes: Uint8Array): ProtobufObject {
  if (MAGIC.some((byte, i) => bytes[i] !== byte))
    throw new Error('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  const envelope = readFields(bytes.subarray(MAGIC.length))
  const meta = readFields(bytesOf(envelope.get(1)?.[0]))
  const apiVersion = textOf(meta.get(1)?.[0])
  const kind = textOf(meta.get(2)?.[0])
  const type = sentKind(apiVersion, kind)?.type
  if (type === undefined) throw new Error(`no kind "${kind}" is registered for version "${apiVersion}"`)
  return { apiVersion, kind, value: { apiVersion, kind, ...decodeMessage(type, bytesOf(envelope.get(2)?.[0])) } }
}

type WireValue = Uint8Array | bigint | number

/** Returns the values of a message by field number, in order. */
function readFields(bytes: Uint8Array): ReadonlyMap<number, readonly WireValue[]> {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, WireValue[]>()
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    const fieldValues = fields.get(number) ?? []
    fields.set(number, fieldValues)
    if (wireType === WireType.Varint) fieldValues.push(BigInt(reader.int64()))
    else if (wireType === WireType.LengthDelimited) fieldValues.push(reader.bytes())
    else if (wireType === WireType.Bit64) fieldValues.push(reader.double())
    else reader.skip(wireType, number)
  }
  return fields
}

function decodeMessage(type: ObjectType, bytes: Uint8Array): JsonObject {
  const result: Record<string, unknown> = {}
  for (const [number, values] of readFields(bytes)) {
    const member = type.members?.get(number)
    if (member === undefined) continue
    if (member.kind === 'inlined') Object.assign(result, decodeMessage(member.object, bytesOf(values.at(-1))))
    else {
      const value = decodeField(member.field, member.encoding, values)
      if (value !== undefined) result[member.field.name] = value
    }
  }
  return result
}

function decodeField({ type }: Field, encoding: Encoding, values: readonly WireValue[]): unknown {
  if (type.kind === 'list' && !encoding.isWrapped) {
    return unpackNumbers(type.element, values).map((value) => decodeValue(type.element, value))
  }
  if (type.kind === 'map') {
    const entries = values.map((value) => {
      const entry = readFields(bytesOf(value))
      return [textOf(entry.get(1)?.[0]), decodeValue(type.element, entry.get(2)?.[0] ?? new Uint8Array())] as const
    })
    return Object.fromEntries(entries.filter(([key]) => key !== '__proto__'))
  }
  const value = decodeValue(type, values.at(-1) ?? new Uint8Array())
  return encoding.isPointer || !isZero(value) ? value : undefined
}

// A list of numbers is encoded as one value per number, or packed into one value.
function unpackNumbers(element: FieldType, values: readonly WireValue[]): readonly WireValue[] {
  if (element.kind !== 'scalar' || !['int32', 'int64', 'bool'].includes(element.scalar)) return values
  return values.flatMap((value): readonly WireValue[] => {
    if (!(value instanceof Uint8Array)) return [value]
    const reader = new BinaryReader(value)
    const numbers: bigint[] = []
    while (reader.pos < reader.len) numbers.push(BigInt(reader.int64()))
    return numbers
  })
}

function decodeValue(type: FieldType, value: WireValue): unknown {
  switch (type.kind) {
    case 'scalar':
      return decodeScalar(type.scalar, value)
    case 'object': {
      const message = decodeMessage(type.object, bytesOf(value))
      return type.object.isUnion ? unionValue(type.object, message) : message
    }
    // A list inside a map, or one whose absence differs from emptiness, is wrapped in a message.
    case 'list':
      return (
        readFields(bytesOf(value))
          .get(1)
          ?.map((each) => decodeValue(type.element, each)) ?? []
      )
    case 'map':
      return undefined
  }
}

// Returns the value of the alternative that is set. Protobuf always writes a boolean alternative.
function unionValue(union: ObjectType, message: JsonObject): unknown {
  const set = [...union.fields.values()].filter(({ name }) => Object.hasOwn(message, name))
  const { name } = set.find(({ type }) => type.kind !== 'scalar') ?? set[0] ?? {}
  return name === undefined ? (union.fields.has('allows') ? false : undefined) : message[name]
}

function decodeScalar(scalar: Scalar, value: WireValue): unknown {
  switch (scalar) {
    case 'string':
      return textOf(value)
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64')
    case 'bool':
      return value !== 0n
    case 'int32':
    case 'int64':
      return Number(value)
    case 'double':
      return value
    case 'Quantity':
      return textOf(readFields(bytesOf(value)).get(1)?.[0])
    case 'Time':
    case 'MicroTime':
      return decodeTime(bytesOf(value), scalar)
    case 'IntOrString': {
      const fields = readFields(bytesOf(value))
      return fields.get(1)?.[0] === 1n ? textOf(fields.get(3)?.[0]) : Number(fields.get(2)?.[0] ?? 0n)
    }
    case 'RawExtension':
    case 'FieldsV1':
    case 'JSON':
      return decodeRaw(bytesOf(value))
  }
}

function decodeTime(bytes: Uint8Array, scalar: 'Time' | 'MicroTime'): string | undefined {
  const fields = readFields(bytes)
  const seconds = Number(fields.get(1)?.[0] ?? 0n)
  const nanos = Number(fields.get(2)?.[0] ?? 0n)
  if (seconds === 0 && nanos === 0) return undefined
  const text = new Date(seconds * 1000).toISOString().slice(0, 19)
  return scalar === 'Time' ? `${text}Z` : `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`
}

// These types hold JSON as bytes. Other encodings in a RawExtension, such as CBOR, are dropped.
function decodeRaw(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(readFields(bytes).get(1)?.[0])) as unknown
  } catch {
    return undefined
  }
}

function isZero(value: unknown): boolean {
  return (
    value === undefined ||
    value === '' ||
    value === 0 ||
    value === false ||
    (isObject(value) && Object.keys(value).length === 0)
  )
}

function bytesOf(value: WireValue | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array()
}

function textOf(value: WireValue | undefined): string {
  return new TextDecoder().decode(bytesOf(value))
}
