import type { Field, FieldType, ObjectType, Scalar } from '../object-type.ts'
import { WIRE } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** Writes a value without its tag and length. */
type Write = (writer: WireWriter, value: unknown) => void

interface FieldWriter {
  readonly name: string
  readonly write: Write
}

const writers = new WeakMap<ObjectType, Write>()
const shared = new WireWriter()

/**
 * Encodes the JSON form of an object as a protobuf message, without the envelope of `encodeEnvelope`. Omits absent and
 * null fields, and fields that the type does not have.
 *
 * @throws TypeError if a value does not have the type of its field, or the type has a union, which no request needs
 */
export function encodeMessage(type: ObjectType, value: object): Buffer {
  shared.clear()
  writeMessage(shared, type, value)
  return shared.finish()
}

/** Writes an object as in {@link encodeMessage}. */
export function writeMessage(writer: WireWriter, type: ObjectType, value: object): void {
  messageWriter(type)(writer, value)
}

function messageWriter(type: ObjectType): Write {
  const known = writers.get(type)
  if (known !== undefined) return known
  if (type.isUnion) throw new TypeError(`encode protobuf: ${type.name} is a union`)
  let fields: readonly FieldWriter[] | undefined
  const write: Write = (writer, value) => {
    if (typeof value !== 'object' || value === null) throw mismatch(type.name, value)
    fields ??= fieldWriters(type)
    const record = value as Readonly<Record<string, unknown>>
    for (const { name, write: writeField } of fields) {
      if (name === '') writeField(writer, record)
      else {
        const fieldValue = record[name]
        if (fieldValue !== undefined && fieldValue !== null) writeField(writer, fieldValue)
      }
    }
  }
  writers.set(type, write)
  return write
}

/** Returns the writers from the highest field number to the lowest, because messages are written from the end. */
function fieldWriters(type: ObjectType): readonly FieldWriter[] {
  return [...(type.members ?? [])]
    .toSorted(([a], [b]) => b - a)
    .map(([number, member]) =>
      member.kind === 'inlined'
        ? { name: '', write: delimited(number, messageWriter(member.object)) }
        : { name: member.field.name, write: fieldWriter(number, member.field, member.encoding.isWrapped) },
    )
}

function fieldWriter(number: number, { type, name }: Field, isWrapped: boolean): Write {
  if (type.kind === 'list') {
    const each = repeated(isWrapped ? 1 : number, type.element, name)
    return isWrapped ? delimited(number, each) : each
  }
  if (type.kind === 'map') {
    const writeKey = delimited(1, (writer, key) => writer.text(String(key)))
    const writeValue = single(2, type.element, name)
    const entry = delimited(number, (writer, pair) => {
      const [key, value] = pair as [string, unknown]
      if (value !== undefined && value !== null) writeValue(writer, value)
      writeKey(writer, key)
    })
    return (writer, value) => {
      if (typeof value !== 'object' || value === null) throw mismatch(name, value)
      for (const pair of Object.entries(value).toReversed()) entry(writer, pair)
    }
  }
  return single(number, type, name)
}

function repeated(number: number, element: FieldType, name: string): Write {
  const write = single(number, element, name)
  return (writer, list) => {
    if (!Array.isArray(list)) throw mismatch(name, list)
    for (let at = list.length - 1; at >= 0; at--) write(writer, list[at])
  }
}

/** Writes one value with its tag. */
function single(number: number, type: FieldType, name: string): Write {
  switch (type.kind) {
    case 'object':
      return delimited(number, (writer, value) => messageWriter(type.object)(writer, value))
    // A list inside a map is wrapped in a message.
    case 'list':
      return delimited(number, repeated(1, type.element, name))
    case 'map':
      throw new TypeError(`encode protobuf: ${name} is a map of maps`)
    case 'scalar':
      return scalarWriter(number, type.scalar, name)
  }
}

function delimited(number: number, write: Write): Write {
  const tag = number * 8 + WIRE.bytes
  return (writer, value) => {
    const before = writer.size
    write(writer, value)
    writer.varint(writer.size - before)
    writer.varint(tag)
  }
}

function scalarWriter(number: number, scalar: Scalar, name: string): Write {
  switch (scalar) {
    case 'string':
      return delimited(number, (writer, value) => writer.text(stringOf(value, name)))
    case 'bytes':
      return delimited(number, (writer, value) => writer.raw(Buffer.from(stringOf(value, name), 'base64')))
    case 'Quantity':
      return delimited(
        number,
        delimited(1, (writer, value) => writer.text(typeof value === 'number' ? `${value}` : stringOf(value, name))),
      )
    case 'bool':
      return varintWriter(number, (value) => (value === true ? 1 : 0))
    case 'int32':
    case 'int64':
      return varintWriter(number, (value) => numberOf(value, name))
    case 'double':
      return (writer, value) => {
        writer.double(numberOf(value, name))
        writer.varint(number * 8 + WIRE.bit64)
      }
    case 'Time':
    case 'MicroTime':
      return delimited(number, (writer, value) => writeTime(writer, stringOf(value, name)))
    case 'IntOrString':
      return delimited(number, writeIntOrString)
    case 'RawExtension':
    case 'FieldsV1':
    case 'JSON':
      return delimited(
        number,
        delimited(1, (writer, value) => writer.text(JSON.stringify(value))),
      )
  }
}

function varintWriter(number: number, convert: (value: unknown) => number): Write {
  const tag = number * 8 + WIRE.varint
  return (writer, value) => {
    writer.varint(convert(value))
    writer.varint(tag)
  }
}

const writeOne = varintWriter(1, Number)
const writeTwo = varintWriter(2, Number)
const writeThird = delimited(3, (writer, text) => writer.text(String(text)))

function writeIntOrString(writer: WireWriter, value: unknown): void {
  if (typeof value === 'string') {
    writeThird(writer, value)
    writeOne(writer, 1)
  } else writeTwo(writer, value)
}

function writeTime(writer: WireWriter, text: string): void {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw mismatch('a time', text)
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? ''
  const nanos = Number(fraction.padEnd(9, '0'))
  if (nanos !== 0) writeTwo(writer, nanos)
  const seconds = Math.floor(ms / 1000)
  if (seconds !== 0) writeOne(writer, seconds)
}

function stringOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw mismatch(name, value)
  return value
}

function numberOf(value: unknown, name: string): number {
  if (typeof value !== 'number') throw mismatch(name, value)
  return value
}

function mismatch(name: string, value: unknown): TypeError {
  return new TypeError(`encode protobuf: ${name} does not allow ${JSON.stringify(value)}`)
}
