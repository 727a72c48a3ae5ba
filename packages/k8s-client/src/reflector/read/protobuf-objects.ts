import type { ObjectType } from '@berth/kube-schema'
import { createMessageDecoder, ProtobufError, readEnvelope, type DecodeOptions } from '@berth/kube-schema/protobuf'
import { decodeStatus, partialObjectType } from '../../encoding/protobuf-kinds.ts'
import { UndecodableObject } from './stream-reader.ts'

/** Decodes the objects of one resource type. */
export interface ProtobufObjects {
  /** Decodes a message without an envelope. Returns an {@link UndecodableObject} if it is not valid. */
  decode(message: Uint8Array): unknown
  /** Decodes an object in its envelope: one of the resource, or a Status. Never throws. */
  decodeEnveloped(bytes: Uint8Array): unknown
}

/** The default options: the default projection of a reflector drops these fields, too. */
const DEFAULTS: DecodeOptions = { skips: ['metadata.managedFields'] }

const decodePartial = createMessageDecoder(partialObjectType, { skips: ['metadata.managedFields'], fillsEmpty: false })

/** Creates a decoder of objects of a type. The result has kind and apiVersion, as in the events of a watch in JSON. */
export function protobufObjects(
  objectType: ObjectType,
  type: { readonly kind: string; readonly apiVersion: string },
  options: DecodeOptions = DEFAULTS,
): ProtobufObjects {
  const decodeMessage = createMessageDecoder(objectType, options)
  const decode = (message: Uint8Array): unknown => {
    try {
      const object = decodeMessage(message)
      object['kind'] = type.kind
      object['apiVersion'] = type.apiVersion
      return object
    } catch (cause) {
      return new UndecodableObject(partialOf(message), cause)
    }
  }
  return {
    decode,
    decodeEnveloped(bytes) {
      try {
        const { apiVersion, kind, message } = readEnvelope(bytes)
        if (kind === type.kind && apiVersion === type.apiVersion) return decode(message)
        if (kind === 'Status') return decodeStatus(bytes)
        throw new ProtobufError(`an object of ${apiVersion} ${kind} among those of ${type.apiVersion} ${type.kind}`)
      } catch (cause) {
        return new UndecodableObject(undefined, cause)
      }
    },
  }
}

/** Returns the metadata of an object whose other fields may be damaged; undefined if they are damaged, too. */
function partialOf(message: Uint8Array): unknown {
  try {
    return decodePartial(message)
  } catch {
    return undefined
  }
}
