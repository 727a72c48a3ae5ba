import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
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
      : [[customDefinitionName(kind), customSchemaOf(kind, kind.custom.schema.source, context.refPrefix)] as const],
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

/** Media type of the document in protobuf, as the message `openapi.v2.Document` of gnostic. */
export const OPEN_API_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/**
 * Returns the document in protobuf, without definitions. kubectl reads definitions from `/openapi/v3` and requests this
 * document only for kinds that are missing there. It finds none and reports `no matches for kind`.
 */
export function openApiV2Protobuf(): Uint8Array {
  const info = new BinaryWriter()
  info.tag(1, WireType.LengthDelimited).string('Kubernetes')
  info.tag(2, WireType.LengthDelimited).string('v1.36.3')
  const document = new BinaryWriter()
  document.tag(1, WireType.LengthDelimited).string('2.0')
  document.tag(2, WireType.LengthDelimited).bytes(info.finish())
  return document.finish()
}
