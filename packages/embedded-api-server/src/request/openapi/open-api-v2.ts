import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { customDefinitionName, customSchemaOf } from './custom-schema.ts'
import { closureOf, jsonSchemaOf, type DescriptionsOf } from './json-schema-of.ts'

/** Returns the document at `/openapi/v2`: the types of every resource, without operations. */
export function openApiV2Document(kinds: readonly ResourceKind[], descriptionsOf: DescriptionsOf): object {
  const context = { refPrefix: '#/definitions/', descriptionsOf }
  const byType = Map.groupBy(
    kinds.filter((kind) => kind.custom === undefined),
    (kind) => kind.type,
  )
  const custom = kinds.flatMap((kind) =>
    kind.custom === undefined
      ? []
      : [[customDefinitionName(kind), customSchemaOf(kind, kind.custom.schema.raw, context.refPrefix)] as const],
  )
  const definitions = [...closureOf(byType.keys())].map((type) => {
    const identities = (byType.get(type) ?? []).map(({ group, version, kind }) => ({ group, version, kind }))
    return [type.modelName, jsonSchemaOf(type, context, identities)] as const
  })
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: {},
    definitions: Object.fromEntries([...definitions, ...custom]),
  }
}
