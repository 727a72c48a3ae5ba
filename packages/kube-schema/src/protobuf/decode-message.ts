import type { Encoding, Field, FieldType, ObjectType, Scalar } from '../object-type.ts'
import { ProtobufError } from './protobuf-error.ts'
import { readFields, scalarReader, type ReadValue } from './read-scalar.ts'
import { WIRE, WireReader } from './wire-reader.ts'

/** The parts of a message that a decoder keeps. */
export interface DecodeOptions {
  /**
   * Fields that are skipped without reading them, as paths of JSON names: `metadata.managedFields`,
   * `spec.containers.env`. A path leads through lists and maps. Default: none.
   */
  readonly skips?: readonly string[]
  /**
   * Adds the fields that the API server's JSON has even when they are empty, such as `containers: null`, so that the
   * result is the same as from JSON. Default: true.
   */
  readonly fillsEmpty?: boolean
  /**
   * Objects, as paths, of which a field that the type does not have is not silently skipped: the result has a member
   * `unknownField42: true` for the field with the number 42. Default: none.
   */
  readonly marksUnknown?: readonly string[]
}

/** Decodes a message, without envelope, to the JSON form of the object. */
export type MessageDecoder = (bytes: Uint8Array) => Record<string, unknown>

/**
 * Creates a decoder of a type. It reads field by field and skips what the type does not have.
 *
 * @returns A function that throws ProtobufError when the bytes are not a message of the type: lengths beyond the end,
 *   fields of another wire type, JSON that cannot be parsed
 * @see kubernetes v1.36 k8s.io/api/core/v1/generated.pb.go, and encoding/json for the fields that are written
 */
export function createMessageDecoder(type: ObjectType, options: DecodeOptions = {}): MessageDecoder {
  const plan = new MessagePlan(type, {
    skips: (options.skips ?? []).map((path) => path.split('.')),
    marks: (options.marksUnknown ?? []).map((path) => (path === '' ? [] : path.split('.'))),
    fills: options.fillsEmpty ?? true,
  })
  return (bytes) => {
    const reader = new WireReader(bytes)
    return plan.read(reader, reader.length)
  }
}

/** The options that apply to one message and what is in it. */
interface Selection {
  readonly skips: readonly (readonly string[])[]
  readonly marks: readonly (readonly string[])[]
  readonly fills: boolean
}

function selectionBelow(selection: Selection, name: string): Selection {
  const below = (paths: readonly (readonly string[])[]): readonly (readonly string[])[] =>
    paths.flatMap((path) => (path[0] === name ? [path.slice(1)] : []))
  return { skips: below(selection.skips), marks: below(selection.marks), fills: selection.fills }
}

type Message = Record<string, unknown>

interface FieldPlan {
  readonly wireType: number
  /** Stores what the field holds in the message. */
  readonly read: (reader: WireReader, end: number, message: Message) => void
}

const SKIPPED: FieldPlan = { wireType: -1, read: () => undefined }

/** How to read one type of message; built when it is first needed. */
class MessagePlan {
  readonly #type: ObjectType
  readonly #selection: Selection
  readonly #marksUnknown: boolean
  #fields: readonly (FieldPlan | undefined)[] | undefined
  #defaults: readonly (readonly [name: string, make: () => unknown])[] = []

  constructor(type: ObjectType, selection: Selection) {
    this.#type = type
    this.#selection = selection
    this.#marksUnknown = selection.marks.some((path) => path.length === 0)
  }

  read(reader: WireReader, end: number): Message {
    const message: Message = {}
    this.#readInto(reader, end, message)
    for (const [name, make] of this.#defaults) if (message[name] === undefined) message[name] = make()
    return message
  }

  #readInto(reader: WireReader, end: number, message: Message): void {
    const fields = (this.#fields ??= this.#build())
    while (reader.at < end) {
      const tag = reader.tag(end)
      const number = tag >>> 3
      const wireType = tag & 7
      const field = fields[number]
      if (field === undefined || field === SKIPPED) {
        if (field === undefined && this.#marksUnknown) message[`unknownField${number}`] = true
        reader.skip(wireType, end)
      } else if (wireType === WIRE.bytes) {
        const valueEnd = reader.valueEnd(end)
        if (field.wireType !== WIRE.bytes) this.#readPacked(field, reader, valueEnd, message, number)
        else field.read(reader, valueEnd, message)
        if (reader.at !== valueEnd) throw this.#wrongType(number, wireType)
      } else if (wireType === field.wireType) field.read(reader, end, message)
      else throw this.#wrongType(number, wireType)
    }
  }

  /** Reads a list of numbers that was packed into one value. */
  #readPacked(field: FieldPlan, reader: WireReader, end: number, message: Message, number: number): void {
    if (!this.#packable.has(number)) throw this.#wrongType(number, WIRE.bytes)
    while (reader.at < end) field.read(reader, end, message)
  }

  readonly #packable = new Set<number>()

  #wrongType(number: number, wireType: number): ProtobufError {
    return new ProtobufError(`field ${number} of ${this.#type.name} has the wire type ${wireType}`)
  }

  #build(): readonly (FieldPlan | undefined)[] {
    const fields: (FieldPlan | undefined)[] = []
    const defaults: (readonly [string, () => unknown])[] = []
    for (const [number, member] of this.#type.members ?? []) {
      if (member.kind === 'inlined') {
        const inlined = new MessagePlan(member.object, this.#selection)
        fields[number] = {
          wireType: WIRE.bytes,
          read: (reader, end, message) => inlined.#readInto(reader, end, message),
        }
        inlined.#fields = inlined.#build()
        defaults.push(...inlined.#defaults)
        continue
      }
      const { field, encoding } = member
      if (this.#selection.skips.some((path) => path.length === 1 && path[0] === field.name)) {
        fields[number] = SKIPPED
        continue
      }
      const selection = selectionBelow(this.#selection, field.name)
      fields[number] = fieldPlan(field, encoding, selection)
      if (isNumberList(field.type)) this.#packable.add(number)
      const make = this.#selection.fills ? defaultOf(field, encoding, selection) : undefined
      if (make !== undefined) defaults.push([field.name, make])
    }
    this.#defaults = defaults
    return fields
  }
}

function fieldPlan(field: Field, encoding: Encoding, selection: Selection): FieldPlan {
  const { name, type } = field
  if (type.kind === 'map') {
    const readEntry = entryReader(type.element, selection)
    return {
      wireType: WIRE.bytes,
      read(reader, end, message) {
        const map = message[name] as Message | undefined
        readEntry(reader, end, map ?? (message[name] = {}))
      },
    }
  }
  if (type.kind === 'list' && !encoding.isWrapped) {
    const read = valueReader(type.element, selection)
    return {
      wireType: wireTypeOf(type.element),
      read(reader, end, message) {
        const list = message[name] as unknown[] | undefined
        if (list === undefined) message[name] = [read(reader, end)]
        else list.push(read(reader, end))
      },
    }
  }
  const read = valueReader(type, selection)
  // Go writes an empty value only for a pointer, for a struct, or if the field says so.
  const keepsZero = encoding.isPointer || (encoding.keepsEmpty && selection.fills)
  const keepsEmpty = keepsZero || (selection.fills && type.kind === 'object' && !encoding.omitsZero)
  return {
    wireType: wireTypeOf(type),
    read(reader, end, message) {
      const value = read(reader, end)
      if (keepsEmpty ? value !== undefined && (value !== null || selection.fills) : !isEmpty(value, keepsZero))
        message[name] = value
      // The last one counts.
      else if (message[name] !== undefined) delete message[name]
    },
  }
}

function isEmpty(value: unknown, keepsZero: boolean): boolean {
  if (value === undefined || value === null) return true
  if (keepsZero) return false
  if (typeof value !== 'object') return value === '' || value === 0 || value === false
  for (const _ in value) return false
  return !Array.isArray(value)
}

/** Returns how to make the value that Go writes for an absent field; undefined if it writes none. */
function defaultOf(
  { type }: Field,
  { isPointer, keepsEmpty, omitsZero }: Encoding,
  selection: Selection,
): (() => unknown) | undefined {
  if (isPointer) return keepsEmpty ? () => null : undefined
  if (type.kind === 'object' && !type.object.isUnion) {
    if (omitsZero) return undefined
    const plan = new MessagePlan(type.object, selection)
    const nothing = new Uint8Array()
    return () => plan.read(new WireReader(nothing), 0)
  }
  if (type.kind === 'scalar' && type.scalar === 'Quantity') return omitsZero ? undefined : () => '0'
  if (type.kind === 'scalar' && isTime(type.scalar)) return omitsZero ? undefined : () => null
  if (!keepsEmpty) return undefined
  if (type.kind !== 'scalar') return () => null
  const zero = ZERO[type.scalar] ?? null
  return () => zero
}

/** The zero values of the scalars that JSON does not write as null. */
const ZERO: Readonly<Partial<Record<Scalar, unknown>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  IntOrString: 0,
}

function isTime(scalar: Scalar): boolean {
  return scalar === 'Time' || scalar === 'MicroTime'
}

function isNumberList(type: FieldType): boolean {
  return type.kind === 'list' && wireTypeOf(type.element) !== WIRE.bytes
}

function wireTypeOf(type: FieldType): number {
  if (type.kind !== 'scalar') return WIRE.bytes
  if (type.scalar === 'double') return WIRE.bit64
  return type.scalar === 'bool' || type.scalar === 'int32' || type.scalar === 'int64' ? WIRE.varint : WIRE.bytes
}

function entryReader(
  element: FieldType,
  selection: Selection,
): (reader: WireReader, end: number, into: Message) => void {
  const readValue = valueReader(element, selection)
  const wireType = wireTypeOf(element)
  return (reader, end, into) => {
    let key = ''
    let value: unknown
    while (reader.at < end) {
      const tag = reader.tag(end)
      const number = tag >>> 3
      if (number === 1 && (tag & 7) === WIRE.bytes) key = reader.text(reader.valueEnd(end))
      else if (number === 2 && (tag & 7) === wireType)
        value = readValue(reader, wireType === WIRE.bytes ? reader.valueEnd(end) : end)
      else if (number === 1 || number === 2) throw new ProtobufError(`a map entry has the wire type ${tag & 7}`)
      else reader.skip(tag & 7, end)
    }
    if (value === undefined) value = emptyValue(element)
    // As JSON.parse: an own property, never the prototype.
    if (key === '__proto__')
      Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true })
    else into[key] = value
  }
}

function emptyValue(type: FieldType): unknown {
  if (type.kind === 'scalar' && (type.scalar === 'string' || type.scalar === 'bytes')) return ''
  if (type.kind === 'scalar' && type.scalar === 'Quantity') return '0'
  if (type.kind === 'scalar' && isTime(type.scalar)) return null
  return wireTypeOf(type) === WIRE.bytes ? {} : 0
}

function valueReader(type: FieldType, selection: Selection): ReadValue {
  switch (type.kind) {
    case 'scalar':
      return scalarReader(type.scalar)
    case 'object': {
      const { object } = type
      const plan = planOf(object, selection)
      return object.isUnion
        ? (reader, end) => unionValue(object, plan.read(reader, end))
        : (reader, end) => plan.read(reader, end)
    }
    // A list inside a map, or one whose absence differs from emptiness, is wrapped in a message.
    case 'list': {
      const read = valueReader(type.element, selection)
      return (reader, end) => {
        const list: unknown[] = []
        readFields(reader, end, (number, valueEnd) => {
          if (number === 1) list.push(read(reader, valueEnd))
        })
        return list
      }
    }
    case 'map':
      throw new TypeError('decode protobuf: a map of maps')
  }
}

const plainPlans = { filled: new WeakMap<ObjectType, MessagePlan>(), bare: new WeakMap<ObjectType, MessagePlan>() }

/** Shares the plan of a message that is read as a whole; some types contain themselves. */
function planOf(type: ObjectType, selection: Selection): MessagePlan {
  if (selection.skips.length > 0 || selection.marks.length > 0) return new MessagePlan(type, selection)
  const plans = selection.fills ? plainPlans.filled : plainPlans.bare
  const known = plans.get(type) ?? new MessagePlan(type, selection)
  plans.set(type, known)
  return known
}

/** Returns the value of the alternative that is set. Protobuf always writes a boolean alternative. */
function unionValue(union: ObjectType, message: Message): unknown {
  const set = [...union.fields.values()].filter(({ name }) => Object.hasOwn(message, name))
  const { name } = set.find(({ type }) => type.kind !== 'scalar') ?? set[0] ?? {}
  return name === undefined ? (union.fields.has('allows') ? false : undefined) : message[name]
}
