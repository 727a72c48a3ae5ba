import type { FieldType, ObjectType, Scalar } from '@berth/kube-schema'
import { createMessageDecoder, encodeMessage } from '@berth/kube-schema/protobuf'
import type { ResourceRef } from '../api-conventions/resource-ref.ts'
import { readTypeOf } from '../encoding/protobuf-kinds.ts'
import type { ReflectOptions } from '../reflector/reflector.ts'

/** Encodes and decodes the objects of one resource as the protobuf of a server, for tests of projections. */
export interface ProtobufSamples {
  /** An object in which every field is set. */
  readonly complete: Readonly<Record<string, unknown>>
  encode(object: object): Uint8Array
  /** Decodes as a reflector does; without options everything, as JSON has it. */
  decode(bytes: Uint8Array, options?: ReflectOptions<object>['protobuf']): Record<string, unknown>
}

/**
 * Returns the samples of a resource.
 *
 * @throws RangeError for a resource that is not read in protobuf
 */
export function protobufSamples(resource: ResourceRef): ProtobufSamples {
  const type = readTypeOf(resource)
  if (type === undefined) throw new RangeError(`${resource.plural} are not read in protobuf`)
  return {
    complete: everyField(type),
    encode: (object) => encodeMessage(type, object),
    decode: (bytes, options) => createMessageDecoder(type, options)(bytes),
  }
}

const values: Readonly<Record<Scalar, unknown>> = {
  string: 'text',
  bytes: 'AAEC',
  bool: true,
  int32: 7,
  int64: 8_589_934_592,
  double: 0.5,
  Quantity: '3',
  Time: '2026-01-02T03:04:05Z',
  MicroTime: '2026-01-02T03:04:05.000006Z',
  IntOrString: '50%',
  RawExtension: { raw: 1 },
  FieldsV1: { 'f:a': {} },
  JSON: { any: [1] },
}

function everyField(type: ObjectType): Record<string, unknown> {
  const fields = [...type.fields.values()].filter(({ name }) => !type.isRoot || !['apiVersion', 'kind'].includes(name))
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field.type)]))
}

function valueOf(type: FieldType): unknown {
  switch (type.kind) {
    case 'object':
      return everyField(type.object)
    case 'list':
      return [valueOf(type.element)]
    case 'map':
      return { 'example.com/key': valueOf(type.element) }
    case 'scalar':
      return values[type.scalar]
  }
}
