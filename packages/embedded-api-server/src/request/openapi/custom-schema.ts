import { isObject, objectAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'

/** The OpenAPI name of a custom resource's type: `com.example.v1.Gadget`. */
export function customDefinitionName({ group, version, kind }: ResourceKind): string {
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`
}

/**
 * The JSON schema of a custom resource: what its definition says, with what every object has.
 *
 * @param refPrefix - Where definitions lie in the document: `#/components/schemas/` or `#/definitions/`.
 */
export function customSchemaOf(kind: ResourceKind, schema: JsonObject, refPrefix: string): JsonObject {
  const isOlder = refPrefix === '#/definitions/'
  const shown = isOlder ? withoutNewer(schema) : schema
  const { group, version } = kind
  return {
    ...shown,
    properties: {
      ...objectAt(shown, 'properties'),
      apiVersion: { type: 'string', description: 'Group and version of the object, such as `apps/v1`.' },
      kind: { type: 'string', description: 'Kind of the object, such as `Pod`.' },
      metadata: {
        description: 'Name, labels, owners and what else every object has.',
        allOf: [{ $ref: `${refPrefix}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` }],
      },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: kind.kind }],
  }
}

const NEWER: ReadonlySet<string> = new Set(['default', 'nullable', 'oneOf', 'anyOf', 'allOf', 'not'])

// OpenAPI v2 has no words for these.
function withoutNewer(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !NEWER.has(key))
      .map(([key, value]) => {
        if (key === 'properties' && isObject(value)) {
          const properties = Object.entries(value).map(([name, inner]) => [
            name,
            isObject(inner) ? withoutNewer(inner) : inner,
          ])
          return [key, Object.fromEntries(properties)]
        }
        return [
          key,
          (key === 'items' || key === 'additionalProperties') && isObject(value) ? withoutNewer(value) : value,
        ]
      }),
  )
}
