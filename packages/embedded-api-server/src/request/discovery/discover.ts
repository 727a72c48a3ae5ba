import type { ApiResponse } from '@berth/types'
import { apiVersionOf, type ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { jsonResponse, textResponse } from '../content/responses.ts'
import { aggregatedResource, apiResourceList } from './api-resources.ts'

/**
 * Answers `/api`, `/apis` and the paths below them with the resources of the server: aggregated for clients that request
 * it, otherwise unaggregated. Returns undefined when the path is unknown.
 */
export function discover(kinds: readonly ResourceKind[], pathname: string, accept: string): ApiResponse | undefined {
  const path = pathname.replace(/\/$/, '')
  const groups = groupsOf(kinds)
  if (path === '/api') {
    if (wantsAggregated(accept)) return aggregatedDiscovery(new Map([['', groups.get('') ?? []]]))
    return jsonResponse(200, {
      kind: 'APIVersions',
      apiVersion: 'v1',
      versions: ['v1'],
      serverAddressByClientCIDRs: [],
    })
  }
  const named = new Map([...groups].filter(([group]) => group !== ''))
  if (path === '/apis') {
    if (wantsAggregated(accept)) return aggregatedDiscovery(named)
    return jsonResponse(200, {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [...named].map(([group, all]) => groupInfo(group, all)),
    })
  }
  const [, root, group = '', version = '', ...rest] = path.split('/')
  if (rest.length > 0) return undefined
  if (root === 'api' && version === '')
    return resourceList(kinds.filter((kind) => kind.group === '' && kind.version === group))
  if (root !== 'apis') return undefined
  const members = named.get(group)
  if (members === undefined) return undefined
  if (version === '') return jsonResponse(200, { kind: 'APIGroup', apiVersion: 'v1', ...groupInfo(group, members) })
  return resourceList(members.filter((kind) => kind.version === version))
}

function resourceList(kinds: readonly ResourceKind[]): ApiResponse | undefined {
  const [first] = kinds
  return first === undefined ? undefined : jsonResponse(200, apiResourceList(apiVersionOf(first), kinds))
}

function wantsAggregated(accept: string): boolean {
  const first = accept.split(',').find((range) => range.includes('application/json')) ?? ''
  return first.includes('g=apidiscovery.k8s.io') && first.includes('v=v2;')
}

function groupsOf(kinds: readonly ResourceKind[]): ReadonlyMap<string, readonly ResourceKind[]> {
  return Map.groupBy(kinds, (kind) => kind.group)
}

function groupInfo(name: string, kinds: readonly ResourceKind[]): object {
  const versions = [...new Set(kinds.map((kind) => kind.version))].map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }))
  return { name, versions, preferredVersion: versions[0] }
}

function aggregatedDiscovery(groups: ReadonlyMap<string, readonly ResourceKind[]>): ApiResponse {
  const items = [...groups].map(([name, kinds]) => ({
    metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
    versions: [...Map.groupBy(kinds, (kind) => kind.version)].map(([version, members]) => ({
      version,
      resources: members.map(aggregatedResource),
      freshness: 'Current',
    })),
  }))
  const list = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
  return textResponse(200, 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', JSON.stringify(list))
}
