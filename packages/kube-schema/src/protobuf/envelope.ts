import type { ObjectType } from '../object-type.ts'
import { writeMessage } from './encode-message.ts'
import { ProtobufError } from './protobuf-error.ts'
import { WIRE, WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** Prefix of a Kubernetes object in protobuf: `k8s` and a zero byte. */
export const ENVELOPE_PREFIX: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00)

/** A kind in requests: its name and the type of its message. */
export interface EncodedKind {
  readonly type: ObjectType
  readonly apiVersion: string
  readonly kind: string
}

/** An object in its envelope: type and position of the message. */
export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  /** The message of the object, not copied; empty if the envelope has none. */
  readonly message: Uint8Array
}

/** Returns whether the bytes start as a Kubernetes object in protobuf does. */
export function hasEnvelope(bytes: Uint8Array): boolean {
  return ENVELOPE_PREFIX.every((byte, at) => bytes[at] === byte)
}

/**
 * Reads the envelope of an object (`runtime.Unknown`).
 *
 * @throws ProtobufError if the bytes are not an envelope, or hold another encoding than protobuf
 * @see kubernetes v1.36 k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (!hasEnvelope(bytes)) throw new ProtobufError('the object does not start with the prefix "k8s"')
  const reader = new WireReader(bytes, ENVELOPE_PREFIX.length)
  const end = reader.length
  const result: { apiVersion: string; kind: string; message: Uint8Array } = {
    apiVersion: '',
    kind: '',
    message: new Uint8Array(),
  }
  while (reader.at < end) {
    const tag = reader.tag(end)
    if ((tag & 7) !== WIRE.bytes) {
      reader.skip(tag & 7, end)
      continue
    }
    const valueEnd = reader.valueEnd(end)
    if (tag >>> 3 === 1) readTypeMeta(reader, valueEnd, result)
    else if (tag >>> 3 === 2) result.message = reader.slice(valueEnd)
    reader.at = valueEnd
  }
  return result
}

/** Reads the type of an envelope: field 1 is the apiVersion, field 2 the kind. */
function readTypeMeta(reader: WireReader, end: number, into: { apiVersion: string; kind: string }): void {
  while (reader.at < end) {
    const tag = reader.tag(end)
    if ((tag & 7) !== WIRE.bytes) {
      reader.skip(tag & 7, end)
      continue
    }
    const text = reader.text(reader.valueEnd(end))
    if (tag >>> 3 === 1) into.apiVersion = text
    else if (tag >>> 3 === 2) into.kind = text
  }
}

const shared = new WireWriter()
const FIRST = 8 + WIRE.bytes
const SECOND = 16 + WIRE.bytes

/**
 * Encodes an object with its envelope, as in the body of a request or a response.
 *
 * @throws TypeError as `encodeMessage`
 */
export function encodeEnvelope({ type, apiVersion, kind }: EncodedKind, object: object): Buffer {
  shared.clear()
  prepend(SECOND, () => writeMessage(shared, type, object))
  prepend(FIRST, () => {
    prepend(SECOND, () => shared.text(kind))
    prepend(FIRST, () => shared.text(apiVersion))
  })
  shared.raw(ENVELOPE_PREFIX)
  return shared.finish()
}

function prepend(tag: number, write: () => void): void {
  const before = shared.size
  write()
  shared.varint(shared.size - before)
  shared.varint(tag)
}
