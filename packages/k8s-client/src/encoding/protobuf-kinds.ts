import { createSchema, groupVersions, type ObjectType } from '@berth/kube-schema'
import { createMessageDecoder, readEnvelope, type EncodedKind } from '@berth/kube-schema/protobuf'
import { isRecord, type Status } from '@berth/types'
import { apiVersionOf, resourceRefs, type ResourceRef } from '../api-conventions/resource-ref.ts'

const schema = createSchema([groupVersions.metaV1, groupVersions.coreV1, groupVersions.eventsV1])
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** The resources that are read in protobuf: those with many objects and changes. */
const READ_RESOURCES: readonly ResourceRef[] = [resourceRefs.pods, resourceRefs.nodes, resourceRefs.events]

/** The kinds that are written in protobuf, as `apiVersion kind`: those that are written once per pod. */
const WRITTEN_KINDS: ReadonlySet<string> = new Set(['v1 Binding', 'events.k8s.io/v1 Event'])

/** Returns the type of the objects of a resource that is read in protobuf; undefined for all others. */
export function readTypeOf(resource: ResourceRef): ObjectType | undefined {
  const isRead = READ_RESOURCES.some(({ group, plural }) => group === resource.group && plural === resource.plural)
  return isRead ? schema.kind(apiVersionOf(resource), resource.kind)?.type : undefined
}

/** Returns the kind of an object that is written in protobuf; undefined for all others. */
export function writtenKindOf(object: unknown): EncodedKind | undefined {
  const { apiVersion, kind } = isRecord(object) ? object : {}
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined
  const type = WRITTEN_KINDS.has(`${apiVersion} ${kind}`) ? schema.kind(apiVersion, kind)?.type : undefined
  return type === undefined ? undefined : { apiVersion, kind, type }
}

/** The metadata of every object, as a message of its own: the field 1 of every kind. */
export const partialObjectType: ObjectType = typeNamed('PartialObjectMetadata')
const statusDecoder = createMessageDecoder(typeNamed('Status'), { fillsEmpty: false })
const listMetadataDecoder = createMessageDecoder(typeNamed('ListMeta'), { fillsEmpty: false })

/**
 * Decodes a Status in its envelope.
 *
 * @throws ProtobufError
 */
export function decodeStatus(bytes: Uint8Array): Status {
  return statusDecoder(readEnvelope(bytes).message)
}

/** Decodes the metadata of a list, without an envelope. Throws ProtobufError. */
export function decodeListMetadata(bytes: Uint8Array): {
  readonly resourceVersion?: string
  readonly continue?: string
} {
  return listMetadataDecoder(bytes)
}

/**
 * Decodes the response to a write of {@link writtenKindOf}: a Status, or the object.
 *
 * @throws ProtobufError; an Error for any other kind
 */
export function decodeWritten(bytes: Uint8Array): unknown {
  const { apiVersion, kind, message } = readEnvelope(bytes)
  const type = schema.kind(apiVersion, kind)?.type
  if (kind === 'Status') return decodeStatus(bytes)
  if (type === undefined) throw new Error(`the response has the kind ${apiVersion} ${kind}`)
  return { apiVersion, kind, ...createMessageDecoder(type)(message) }
}

function typeNamed(name: string): ObjectType {
  const type = schema.type(`${META}.${name}`)
  if (type === undefined) throw new Error(`the schema lacks ${name}`)
  return type
}
