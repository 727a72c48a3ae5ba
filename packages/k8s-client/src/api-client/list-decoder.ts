import type { DecodeOptions } from '@berth/kube-schema/protobuf'
import type { KubernetesList } from '@berth/types'
import { apiVersionOf, type ResourceRef } from '../api-conventions/resource-ref.ts'
import { readTypeOf } from '../encoding/protobuf-kinds.ts'
import { protobufListReader } from '../reflector/read/protobuf-list-reader.ts'
import { protobufObjects } from '../reflector/read/protobuf-objects.ts'
import { UndecodableObject } from '../reflector/read/stream-reader.ts'

/** Decodes the body of a list, in its envelope. Throws an Error if it is not valid. */
export type ListDecoder = (body: Uint8Array) => KubernetesList<unknown>

/**
 * Creates a decoder of lists in protobuf.
 *
 * @returns Undefined for a resource that is read in JSON only.
 */
export function listDecoder(resource: ResourceRef, options: DecodeOptions): ListDecoder | undefined {
  const objectType = readTypeOf(resource)
  if (objectType === undefined) return undefined
  const objects = protobufObjects(objectType, { kind: resource.kind, apiVersion: apiVersionOf(resource) }, options)
  return (body) => {
    const reader = protobufListReader(objects)
    const items = reader.push(body).map((item) => {
      const object = reader.parse(item)
      if (object instanceof UndecodableObject) throw object.cause
      return object
    })
    return { metadata: reader.metadata(), items }
  }
}
