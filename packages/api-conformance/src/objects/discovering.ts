import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'

const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' }

const SHOWN = ['status', 'scale', 'binding', 'eviction', 'resize', 'ephemeralcontainers']

const resource =
  (groupVersion: string, plural: string) =>
  async ({ get }: CaseSession): Promise<void> => {
    await get(groupVersion, {
      show: ({ resources, ...rest }) => ({
        ...rest,
        resources: resources
          .filter(({ name }: Json) => [plural, ...SHOWN.map((each) => `${plural}/${each}`)].includes(name))
          .map(({ storageVersionHash, ...each }: Json) => ({ ...each, hasHash: storageVersionHash !== undefined })),
      }),
    })
  }

const aggregated =
  (path: string, group: string | undefined, plural: string) =>
  async ({ get }: CaseSession): Promise<void> => {
    await get(path, {
      headers: AGGREGATED,
      show({ kind, apiVersion, items }) {
        const version = items.find(({ metadata }: Json) => metadata.name === group)?.versions[0]
        const { subresources, ...found } = version?.resources.find((each: Json) => each.resource === plural) ?? {}
        return {
          kind,
          apiVersion,
          version: version?.version,
          freshness: version?.freshness,
          found,
          hasSubresources: subresources !== undefined,
        }
      },
    })
  }

/** Discovery, and errors for unknown paths and methods. */
export const discovering: CaseGroup = caseGroup('discover', {
  'core-versions': ({ get }) => get('/api', { show: ({ kind, versions }) => ({ kind, versions }) }),
  groups: async ({ get }) => {
    const wanted = new Set(['apps', 'batch', 'coordination.k8s.io', 'policy', 'scheduling.k8s.io', 'storage.k8s.io'])
    await get('/apis', {
      show: ({ kind, apiVersion, groups }) => ({
        kind,
        apiVersion,
        groups: groups
          .filter(({ name }: Json) => wanted.has(name))
          .sort((a: Json, b: Json) => (a.name < b.name ? -1 : 1)),
      }),
    })
  },
  group: ({ get }) => get('/apis/apps'),
  'group-missing': ({ get }) => get('/apis/none.example.com'),
  'version-missing': ({ get }) => get('/apis/apps/v9'),
  'path-missing': ({ get }) => get('/nothing/here'),
  'resource-pods': resource('/api/v1', 'pods'),
  'resource-nodes': resource('/api/v1', 'nodes'),
  'resource-namespaces': resource('/api/v1', 'namespaces'),
  'resource-config-maps': resource('/api/v1', 'configmaps'),
  'resource-services': resource('/api/v1', 'services'),
  'resource-events': resource('/api/v1', 'events'),
  'resource-deployments': resource('/apis/apps/v1', 'deployments'),
  'resource-daemon-sets': resource('/apis/apps/v1', 'daemonsets'),
  'resource-jobs': resource('/apis/batch/v1', 'jobs'),
  'resource-leases': resource('/apis/coordination.k8s.io/v1', 'leases'),
  'resource-budgets': resource('/apis/policy/v1', 'poddisruptionbudgets'),
  'resource-priority-classes': resource('/apis/scheduling.k8s.io/v1', 'priorityclasses'),
  'resource-cluster-roles': resource('/apis/rbac.authorization.k8s.io/v1', 'clusterroles'),
  'aggregated-core': aggregated('/api', undefined, 'pods'),
  'aggregated-apps': aggregated('/apis', 'apps', 'deployments'),
  version: ({ get }) => get('/version', { show: ({ major, minor, gitVersion }) => ({ major, minor, gitVersion }) }),
  health: async ({ get }) => {
    for (const path of ['/livez', '/readyz', '/healthz']) await get(path)
  },
  'method-on-collection': ({ at, send }) =>
    send('PATCH', at('configmaps'), {}, { headers: { 'content-type': 'application/merge-patch+json' } }),
  'method-on-discovery': ({ send }) => send('POST', '/api/v1', {}),
  'delete-all-namespaces': ({ send }) => send('DELETE', '/api/v1/namespaces'),
  'open-api-index': ({ get }) =>
    get('/openapi/v3', {
      show: ({ paths }) => ['api/v1', 'apis/apps/v1'].map((path) => typeof paths[path]?.serverRelativeURL),
    }),
  'authorization-reviews': ({ get }) => get('/apis/authorization.k8s.io/v1').then(() => undefined),
  'authentication-reviews': ({ get }) => get('/apis/authentication.k8s.io/v1').then(() => undefined),
})
