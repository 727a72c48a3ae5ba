import type { ResourceKind } from '../kinds/resource-kind.ts'
import { customDefinitionName, customSchemaOf } from './custom-schema.ts'
import { closureOf, definitionName, jsonSchemaOf } from './json-schema-of.ts'

/** The older document at `/openapi/v2`: the types of every resource, without operations. */
export function openApiV2Document(kinds: readonly ResourceKind[]): object {
  const byType = Map.groupBy(
    kinds.filter((kind) => kind.custom === undefined),
    (kind) => kind.typeName,
  )
  const custom = kinds.flatMap((kind) =>
    kind.custom === undefined
      ? []
      : [[customDefinitionName(kind), customSchemaOf(kind, kind.custom.schema.raw, '#/definitions/')] as const],
  )
  const definitions = closureOf([...byType.keys()]).map((type) => {
    const identities = (byType.get(type.name) ?? []).map(({ group, version, kind }) => ({ group, version, kind }))
    return [definitionName(type), jsonSchemaOf(type, '#/definitions/', identities)] as const
  })
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: {},
    definitions: Object.fromEntries([...definitions, ...custom]),
  }
}
