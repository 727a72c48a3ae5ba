import { createMessageDecoder, hasEnvelope, readEnvelope, type MessageDecoder } from '@berth/kube-schema/protobuf'
import type { ObjectType } from '@berth/kube-schema'
import type { JsonObject } from './json/json-object.ts'
import { sentKind } from './built-in-types.ts'

/** An object that was decoded from protobuf. */
export interface ProtobufObject {
  readonly apiVersion: string
  readonly kind: string
  readonly value: JsonObject
}

const decoders = new Map<ObjectType, MessageDecoder>()

/**
 * Decodes an object in Kubernetes' protobuf envelope to JSON. Omits zero values, except those of pointers.
 *
 * @throws Error when the bytes are not an object of a known kind.
 */
export function decodeProtobuf(bytes: Uint8Array): ProtobufObject {
  if (!hasEnvelope(bytes))
    throw new Error('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  const { apiVersion, kind, message } = readEnvelope(bytes)
  const type = sentKind(apiVersion, kind)?.type
  if (type === undefined) throw new Error(`no kind "${kind}" is registered for version "${apiVersion}"`)
  return { apiVersion, kind, value: { apiVersion, kind, ...decoderOf(type)(message) } }
}

function decoderOf(type: ObjectType): MessageDecoder {
  const decoder = decoders.get(type) ?? createMessageDecoder(type, { fillsEmpty: false })
  decoders.set(type, decoder)
  return decoder
}
