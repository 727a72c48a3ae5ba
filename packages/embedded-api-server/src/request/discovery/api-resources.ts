import { createHash } from 'node:crypto'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'

function verbsOf(kind: ResourceKind): readonly string[] {
  if (kind.isReview === true) return ['create']
  if (kind.custom !== undefined) return CUSTOM_VERBS
  return kind.storage === '/namespaces' ? VERBS.filter((verb) => verb !== 'deletecollection') : VERBS
}

/** Returns upstream's identifier of the stored version of a resource: a hash prefix of group, version and kind. */
function storageVersionHash({ group, version, kind }: ResourceKind): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64')
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
// Upstream's order.
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const READ_WRITE_VERBS = ['get', 'patch', 'update']

/** A subresource in discovery. */
interface Subresource {
  readonly name: string
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly string[]
}

function subresourcesOf(kind: ResourceKind): readonly Subresource[] {
  const status = kind.hasStatus ? [{ name: 'status', kind: kind.kind, verbs: READ_WRITE_VERBS }] : []
  const scale = kind.hasScale
    ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: READ_WRITE_VERBS }]
    : []
  if (kind.custom !== undefined) return [...status, ...scale]
  return [
    ...(kind.storage === '/pods'
      ? [
          { name: 'binding', kind: 'Binding', verbs: ['create'] },
          { name: 'ephemeralcontainers', kind: 'Pod', verbs: READ_WRITE_VERBS },
          { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
          { name: 'resize', kind: 'Pod', verbs: READ_WRITE_VERBS },
        ]
      : []),
    ...(kind.storage === '/serviceaccounts'
      ? [{ name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }]
      : []),
    ...(kind.storage === '/namespaces' ? [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }] : []),
    ...scale,
    ...status,
  ]
}

/** Returns the `APIResourceList` of one group and version: unaggregated discovery. */
export function apiResourceList(groupVersion: string, kinds: readonly ResourceKind[]): object {
  return {
    kind: 'APIResourceList',
    // The list of the core group has no apiVersion.
    ...(groupVersion === 'v1' ? {} : { apiVersion: 'v1' }),
    groupVersion,
    resources: kinds.flatMap((kind) => [
      {
        name: kind.plural,
        singularName: kind.singular,
        namespaced: kind.namespaced,
        kind: kind.kind,
        verbs: verbsOf(kind),
        ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
        ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
        ...(kind.isReview === true ? {} : { storageVersionHash: storageVersionHash(kind) }),
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

/** Returns one resource of aggregated discovery. */
export function aggregatedResource(kind: ResourceKind): object {
  const { group, version } = kind
  const subresources = subresourcesOf(kind).map((each) => ({
    subresource: each.name,
    responseKind: { group: each.group ?? group, version: each.version ?? version, kind: each.kind },
    verbs: each.verbs,
  }))
  return {
    resource: kind.plural,
    // Empty: group and version are those of the enclosing item.
    responseKind: { group: '', version: '', kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  }
}
