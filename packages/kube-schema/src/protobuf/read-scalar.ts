import type { Scalar } from '../object-type.ts'
import { ProtobufError } from './protobuf-error.ts'
import { WIRE, type WireReader } from './wire-reader.ts'

/** Reads the value of a field, which ends at `end`; `end` is the end of the message for numbers. */
export type ReadValue = (reader: WireReader, end: number) => unknown

/** Returns a function that reads a scalar. It throws ProtobufError if the bytes are not one. */
export function scalarReader(scalar: Scalar): ReadValue {
  switch (scalar) {
    case 'string':
      return (reader, end) => reader.text(end)
    case 'bytes':
      return (reader, end) => reader.slice(end).toString('base64')
    case 'bool':
      return (reader, end) => reader.signed(end) !== 0
    case 'int32':
    case 'int64':
      return (reader, end) => reader.signed(end)
    case 'double':
      return (reader, end) => reader.double(end)
    case 'Quantity':
      return readQuantity
    case 'Time':
      return (reader, end) => readTime(reader, end, false)
    case 'MicroTime':
      return (reader, end) => readTime(reader, end, true)
    case 'IntOrString':
      return readIntOrString
    case 'RawExtension':
    case 'FieldsV1':
    case 'JSON':
      return readRaw
  }
}

/** Calls `visit` for every field; the fields that it does not read are skipped. */
export function readFields(reader: WireReader, end: number, visit: (number: number, valueEnd: number) => void): void {
  while (reader.at < end) {
    const tag = reader.tag(end)
    const wireType = tag & 7
    if (wireType === WIRE.bytes) {
      const valueEnd = reader.valueEnd(end)
      visit(tag >>> 3, valueEnd)
      reader.at = valueEnd
    } else if (wireType === WIRE.varint) {
      const start = reader.at
      reader.skip(wireType, end)
      const next = reader.at
      reader.at = start
      visit(tag >>> 3, next)
      reader.at = next
    } else reader.skip(wireType, end)
  }
}

function readQuantity(reader: WireReader, end: number): string {
  let text = '0'
  readFields(reader, end, (number, valueEnd) => {
    if (number === 1) text = reader.text(valueEnd)
  })
  return text === '' ? '0' : text
}

const MAX_SECONDS = 253_402_300_799

function readTime(reader: WireReader, end: number, isMicro: boolean): string | null {
  let seconds = 0
  let nanos = 0
  readFields(reader, end, (number, valueEnd) => {
    if (number === 1) seconds = reader.signed(valueEnd)
    else if (number === 2) nanos = reader.signed(valueEnd)
  })
  if (seconds === 0 && nanos === 0) return null
  if (!(Math.abs(seconds) <= MAX_SECONDS)) throw new ProtobufError(`a time of ${seconds} seconds`)
  const text = secondsText(seconds)
  return isMicro ? `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${text}Z`
}

const TEXT_SLOTS = 256
const slotSeconds = new Float64Array(TEXT_SLOTS).fill(Number.NaN)
const slotTexts: string[] = Array.from({ length: TEXT_SLOTS }, () => '')

/** Formats a time without its zone. Formatting is slow and the times of an object are close together, so it is cached. */
function secondsText(seconds: number): string {
  const slot = Math.abs(seconds) % TEXT_SLOTS
  if (slotSeconds[slot] !== seconds) {
    slotTexts[slot] = new Date(seconds * 1000).toISOString().slice(0, 19)
    slotSeconds[slot] = seconds
  }
  return slotTexts[slot] ?? ''
}

function readIntOrString(reader: WireReader, end: number): string | number {
  let isText = false
  let number = 0
  let text = ''
  readFields(reader, end, (fieldNumber, valueEnd) => {
    if (fieldNumber === 1) isText = reader.signed(valueEnd) === 1
    else if (fieldNumber === 2) number = reader.signed(valueEnd)
    else if (fieldNumber === 3) text = reader.text(valueEnd)
  })
  return isText ? text : number
}

/** Reads a type that holds JSON as bytes. */
function readRaw(reader: WireReader, end: number): unknown {
  let text = ''
  readFields(reader, end, (number, valueEnd) => {
    if (number === 1) text = reader.slice(valueEnd).toString('utf8')
  })
  if (text === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ProtobufError(`a field of JSON holds ${JSON.stringify(text.slice(0, 40))}`)
  }
}
