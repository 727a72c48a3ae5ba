import { isObject, objectAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'

/** Returns the OpenAPI name of a custom resource's type, such as `com.example.v1.Gadget`. */
export function customDefinitionName({ group, version, kind }: ResourceKind): string {
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`
}

/**
 * Returns the JSON schema of a custom resource: the schema of its definition, with the fields that every object has.
 *
 * @param refPrefix - Prefix of references in the document: `#/components/schemas/` or `#/definitions/`.
 */
export function customSchemaOf(kind: ResourceKind, schema: JsonObject, refPrefix: string): JsonObject {
  const isVersion2 = refPrefix === '#/definitions/'
  const shown = isVersion2 ? withoutVersion3Keywords(schema) : schema
  const { group, version } = kind
  return {
    ...shown,
    properties: {
      ...objectAt(shown, 'properties'),
      apiVersion: { type: 'string', description: 'Group and version of the object, such as `apps/v1`.' },
      kind: { type: 'string', description: 'Kind of the object, such as `Pod`.' },
      metadata: {
        description: 'Standard metadata of the object: name, labels, owners and more.',
        allOf: [{ $ref: `${refPrefix}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` }],
      },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: kind.kind }],
  }
}

const VERSION_3_KEYWORDS: ReadonlySet<string> = new Set(['default', 'nullable', 'oneOf', 'anyOf', 'allOf', 'not'])

// OpenAPI v2 does not have these keywords.
function withoutVersion3Keywords(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !VERSION_3_KEYWORDS.has(key))
      .map(([key, value]) => {
        if (key === 'properties' && isObject(value)) {
          const properties = Object.entries(value).map(([name, inner]) => [
            name,
            isObject(inner) ? withoutVersion3Keywords(inner) : inner,
          ])
          return [key, Object.fromEntries(properties)]
        }
        return [
          key,
          (key === 'items' || key === 'additionalProperties') && isObject(value)
            ? withoutVersion3Keywords(value)
            : value,
        ]
      }),
  )
}
