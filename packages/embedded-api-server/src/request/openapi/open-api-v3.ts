import { apiVersionOf, type ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { customDefinitionName, customSchemaOf } from './custom-schema.ts'
import { objectMetaType } from '../../schema/built-in-types.ts'
import { closureOf, jsonSchemaOf, type DescriptionsOf, type GroupVersionKind } from './json-schema-of.ts'

const REF_PREFIX = '#/components/schemas/'

/** Returns the path of a group version below `/openapi/v3`, such as `api/v1` or `apis/apps/v1`. */
export function openApiPathOf(kind: Pick<ResourceKind, 'group' | 'version'>): string {
  return kind.group === '' ? `api/${kind.version}` : `apis/${apiVersionOf(kind)}`
}

/** Returns the index at `/openapi/v3`. */
export function openApiIndex(kinds: readonly ResourceKind[]): object {
  const paths = [...new Set(kinds.map(openApiPathOf))]
  return {
    paths: Object.fromEntries(paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}` }])),
  }
}

/** Returns the document of one group version: its resources and the types that they contain. */
export function openApiDocument(kinds: readonly ResourceKind[], descriptionsOf: DescriptionsOf): object {
  const custom = kinds.flatMap((kind) =>
    kind.custom === undefined
      ? []
      : [[customDefinitionName(kind), customSchemaOf(kind, kind.custom.schema.source, REF_PREFIX)] as const],
  )
  const identities = new Map(
    kinds.filter((kind) => kind.custom === undefined).map((kind) => [kind.type, identityOf(kind)]),
  )
  const roots = [...identities.keys(), ...(custom.length === 0 ? [] : [objectMetaType])]
  const schemas = [...closureOf(roots)].map((type) => {
    const identity = identities.get(type)
    const shown = jsonSchemaOf(
      type,
      { refPrefix: REF_PREFIX, descriptionsOf },
      identity === undefined ? [] : [identity],
    )
    return [type.modelName, shown] as const
  })
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: Object.assign({}, ...kinds.map(pathsOf)) as object,
    components: { schemas: Object.fromEntries([...schemas, ...custom]) },
  }
}

function identityOf({ group, version, kind }: ResourceKind): GroupVersionKind {
  return { group, version, kind }
}

const queryParameter = (name: string, type: string): object => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
})
const WRITE_PARAMETERS = [
  queryParameter('dryRun', 'string'),
  queryParameter('fieldManager', 'string'),
  queryParameter('fieldValidation', 'string'),
]

function pathsOf(kind: ResourceKind): object {
  const scope = kind.namespaced ? 'namespaces/{namespace}/' : ''
  const collection = `/${openApiPathOf(kind)}/${scope}${kind.plural}`
  const operation = (action: string, parameters: readonly object[] = []): object => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': identityOf(kind),
    operationId: `${action}${kind.group.replaceAll(/[^a-z]/gi, '')}${kind.version}${kind.kind}`,
    parameters,
    responses: { '200': { description: 'OK' } },
  })
  return {
    [collection]: {
      get: operation('list'),
      post: operation('post', WRITE_PARAMETERS),
      delete: operation('deletecollection', [queryParameter('dryRun', 'string')]),
    },
    [`${collection}/{name}`]: {
      get: operation('get'),
      put: operation('put', WRITE_PARAMETERS),
      patch: operation('patch', [...WRITE_PARAMETERS, queryParameter('force', 'boolean')]),
      delete: operation('delete', [queryParameter('dryRun', 'string')]),
    },
  }
}
