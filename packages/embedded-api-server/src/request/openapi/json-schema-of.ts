import type { Field, FieldType, ObjectType, Scalar } from '@berth/kube-schema'
import type { TypeDescription } from '@berth/kube-schema/descriptions'

/** The group, version and kind of a schema or an operation. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Returns upstream's documentation of a type, by its OpenAPI name. */
export type DescriptionsOf = (modelName: string) => TypeDescription | undefined

/** The settings of one OpenAPI document. */
export interface SchemaContext {
  /** Prefix of references: `#/components/schemas/` or `#/definitions/`. */
  readonly refPrefix: string
  readonly descriptionsOf: DescriptionsOf
}

const SCHEMAS: Readonly<Record<Scalar, object>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  Quantity: { type: 'string' },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  IntOrString: { type: 'string', format: 'int-or-string' },
  RawExtension: { type: 'object' },
  FieldsV1: { type: 'object' },
  JSON: {},
}

/** Returns the JSON schema of an object type. */
export function jsonSchemaOf(
  type: ObjectType,
  context: SchemaContext,
  identities: readonly GroupVersionKind[],
): object {
  const { description, fields: descriptions = {} } = context.descriptionsOf(type.modelName) ?? {}
  const described = description === undefined ? {} : { description }
  // A union of several JSON types has no OpenAPI schema.
  if (type.isUnion) return described
  const fields = [...type.fields.values()]
  const required = fields.filter((field) => field.isRequired).map((field) => field.name)
  const root = type.isRoot
    ? {
        apiVersion: { type: 'string', description: 'Group and version of the object, such as `apps/v1`.' },
        kind: { type: 'string', description: 'Kind of the object, such as `Pod`.' },
      }
    : {}
  const properties = {
    ...root,
    ...Object.fromEntries(fields.map((field) => [field.name, propertyOf(field, descriptions[field.name], context)])),
  }
  return {
    ...described,
    type: 'object',
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(type.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(identities.length === 0 ? {} : { 'x-kubernetes-group-version-kind': identities }),
  }
}

function propertyOf(field: Field, description: string | undefined, { refPrefix }: SchemaContext): object {
  const schema = schemaOf(field.type, refPrefix)
  const { list, patch } = field
  return {
    // JSON schema ignores all keywords next to `$ref`.
    ...('$ref' in schema ? { allOf: [schema] } : schema),
    ...(description === undefined ? {} : { description }),
    ...(list === undefined ? {} : { 'x-kubernetes-list-type': list.kind }),
    ...(list?.kind === 'map' ? { 'x-kubernetes-list-map-keys': list.keys } : {}),
    ...(field.type.kind === 'list' && list === undefined ? { 'x-kubernetes-list-type': 'atomic' } : {}),
    ...(field.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(patch === undefined ? {} : { 'x-kubernetes-patch-strategy': patch.strategies.join(',') }),
    ...(patch?.key === undefined ? {} : { 'x-kubernetes-patch-merge-key': patch.key }),
  }
}

function schemaOf(type: FieldType, refPrefix: string): object {
  switch (type.kind) {
    case 'scalar':
      return SCHEMAS[type.scalar]
    case 'list':
      return { type: 'array', items: schemaOf(type.element, refPrefix) }
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.element, refPrefix) }
    case 'object':
      return { $ref: `${refPrefix}${type.object.modelName}` }
  }
}

/** Returns the given types and all types that they contain. */
export function closureOf(types: Iterable<ObjectType>): ReadonlySet<ObjectType> {
  const found = new Set<ObjectType>()
  const visit = (type: ObjectType): void => {
    if (found.has(type)) return
    found.add(type)
    for (const field of type.fields.values()) {
      const inner = elementObject(field.type)
      if (inner !== undefined) visit(inner)
    }
  }
  for (const type of types) visit(type)
  return found
}

function elementObject(type: FieldType): ObjectType | undefined {
  if (type.kind === 'object') return type.object
  return type.kind === 'scalar' ? undefined : elementObject(type.element)
}
