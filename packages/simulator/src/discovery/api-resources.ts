import type { ResourceKind } from '../kinds/resource-kind.ts'

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const STATUS_VERBS = ['get', 'patch', 'update']

/** A subresource as discovery names it. */
interface Subresource {
  readonly name: string
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly string[]
}

function subresourcesOf(kind: ResourceKind): readonly Subresource[] {
  return [
    ...(kind.storage === '/pods'
      ? [
          { name: 'binding', kind: 'Binding', verbs: ['create'] },
          { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
        ]
      : []),
    ...(kind.storage === '/namespaces' ? [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }] : []),
    ...(kind.hasScale
      ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: STATUS_VERBS }]
      : []),
    ...(kind.hasStatus ? [{ name: 'status', kind: kind.kind, verbs: STATUS_VERBS }] : []),
  ]
}

/** `APIResourceList` of one group and version: the older form of discovery. */
export function apiResourceList(groupVersion: string, kinds: readonly ResourceKind[]): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: kinds.flatMap((kind) => [
      {
        name: kind.plural,
        singularName: kind.singular,
        namespaced: kind.namespaced,
        kind: kind.kind,
        verbs: VERBS,
        ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
        ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
      },
      ...subresourcesOf(kind).map(({ name, ...rest }) => ({
        name: `${kind.plural}/${name}`,
        singularName: '',
        namespaced: kind.namespaced,
        ...rest,
      })),
    ]),
  }
}

/** One resource of aggregated discovery. */
export function aggregatedResource(kind: ResourceKind): object {
  const { group, version } = kind
  const subresources = subresourcesOf(kind).map((each) => ({
    subresource: each.name,
    responseKind: { group: each.group ?? group, version: each.version ?? version, kind: each.kind },
    verbs: each.verbs,
  }))
  return {
    resource: kind.plural,
    responseKind: { group, version, kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: VERBS,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  }
}
