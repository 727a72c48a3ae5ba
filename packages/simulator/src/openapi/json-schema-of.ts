import { SCALARS, type Field, type FieldType, type ObjectType } from '../schema/field-type.ts'
import { knownTypes } from '../schema/known-types.ts'

/** The OpenAPI name of an object type: `io.k8s.api.core.v1.Pod`. */
export function definitionName(type: ObjectType): string {
  return `${type.package}.${SHOWN_NAMES.get(type.name) ?? type.name}`
}

// Types that are called otherwise here because two packages use one name.
const SHOWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['RegardingEvent', 'Event'],
  ['RegardingEventSeries', 'EventSeries'],
  ['SliceEndpointPort', 'EndpointPort'],
  ['WebhookService', 'ServiceReference'],
])

/** Group, version and kind that a schema or an operation speaks of. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * The JSON schema of an object type.
 *
 * @param refPrefix - Where definitions lie in the document: `#/components/schemas/` or `#/definitions/`.
 */
export function jsonSchemaOf(type: ObjectType, refPrefix: string, identities: readonly GroupVersionKind[]): object {
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
    ...Object.fromEntries(fields.map((field) => [field.name, propertyOf(field, refPrefix)])),
  }
  return {
    ...(type.description === undefined ? {} : { description: type.description }),
    type: 'object',
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(type.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(identities.length === 0 ? {} : { 'x-kubernetes-group-version-kind': identities }),
  }
}

function propertyOf(field: Field, refPrefix: string): object {
  const schema = schemaOf(field.type, refPrefix)
  const described = field.description === undefined ? {} : { description: field.description }
  // A reference has no room for anything else beside it.
  const wrapped = '$ref' in schema ? { allOf: [schema] } : schema
  return {
    ...wrapped,
    ...described,
    ...(field.list?.kind === 'map'
      ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': field.list.keys }
      : {}),
    ...(field.list?.kind === 'set' ? { 'x-kubernetes-list-type': 'set' } : {}),
    ...(field.type.kind === 'list' && field.list === undefined ? { 'x-kubernetes-list-type': 'atomic' } : {}),
    ...(field.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(field.patch === undefined ? {} : { 'x-kubernetes-patch-strategy': field.patch.strategies.join(',') }),
    ...(field.patch?.key === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patch.key }),
  }
}

function schemaOf(type: FieldType, refPrefix: string): object {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar]
    case 'list':
      return { type: 'array', items: schemaOf(type.element, refPrefix) }
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.element, refPrefix) }
    case 'ref': {
      const object = knownTypes.get(type.name)
      return object === undefined ? { type: 'object' } : { $ref: `${refPrefix}${definitionName(object)}` }
    }
  }
}

/** The types that a type is made of, itself first. */
export function closureOf(typeNames: readonly string[]): readonly ObjectType[] {
  const found = new Map<string, ObjectType>()
  const visit = (name: string): void => {
    const type = knownTypes.get(name)
    if (type === undefined || found.has(name)) return
    found.set(name, type)
    for (const field of type.fields.values()) visit(elementName(field.type))
  }
  for (const name of typeNames) visit(name)
  return [...found.values()]
}

function elementName(type: FieldType): string {
  if (type.kind === 'ref') return type.name
  return type.kind === 'scalar' ? '' : elementName(type.element)
}
