import type { Field, FieldType, ObjectType, Scalar } from '@berth/kube-schema'
import { objectMetaType } from '../../schema/built-in-types.ts'
import type { StructuralSchema } from '../../schema/structural/structural-schema.ts'

const SCALARS: ReadonlyMap<string, Scalar> = new Map([
  ['string', 'string'],
  ['integer', 'int64'],
  ['number', 'double'],
  ['boolean', 'bool'],
])
const METADATA: Field = {
  name: 'metadata',
  type: { kind: 'object', object: objectMetaType },
  isRequired: false,
  isAtomic: false,
}

/** Returns the object type of a custom resource, which field ownership and merging use. */
export function objectTypeOf(kind: string, schema: StructuralSchema): ObjectType {
  const { fields, ...type } = objectType(kind, schema)
  return { ...type, isRoot: true, fields: new Map([...fields, ['metadata', METADATA]]) }
}

function objectType(name: string, schema: StructuralSchema): ObjectType {
  return {
    name,
    modelName: '',
    isRoot: schema.isEmbeddedResource,
    isUnion: false,
    isAtomic: schema.mapType === 'atomic',
    fields: new Map([...schema.properties].map(([key, inner]) => [key, fieldOf(key, inner)])),
  }
}

function fieldOf(name: string, schema: StructuralSchema): Field {
  const list: Field['list'] | undefined =
    schema.listType === 'map'
      ? { kind: 'map', keys: schema.listMapKeys }
      : schema.listType === 'set'
        ? { kind: 'set' }
        : undefined
  return {
    name,
    type: typeOf(name, schema),
    isRequired: false,
    isAtomic: schema.mapType === 'atomic',
    ...(list === undefined ? {} : { list }),
  }
}

function typeOf(name: string, schema: StructuralSchema): FieldType {
  if (schema.isIntOrString) return { kind: 'scalar', scalar: 'IntOrString' }
  const scalar = SCALARS.get(schema.type)
  if (scalar !== undefined) return { kind: 'scalar', scalar }
  if (schema.type === 'array') {
    return { kind: 'list', element: schema.items === undefined ? UNTYPED : typeOf(name, schema.items) }
  }
  if (schema.additionalProperties !== undefined)
    return { kind: 'map', element: typeOf(name, schema.additionalProperties) }
  return { kind: 'object', object: objectType(name, schema) }
}

// Fields of objects without a schema are owned one by one.
const UNTYPED: FieldType = {
  kind: 'object',
  object: { name: '', modelName: '', isRoot: false, isUnion: false, isAtomic: false, fields: new Map() },
}
