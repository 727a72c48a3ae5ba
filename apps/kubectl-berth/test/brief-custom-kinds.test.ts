import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'
import { owner } from './web-shop.ts'

describe('brief', () => {
  test('shows custom workloads with the columns of their own kind, and their companions, as the seed does', async () => {
    const cluster = testCluster()
    const group = (name: string, version: string) => ({
      name,
      preferredVersion: { groupVersion: `${name}/${version}`, version },
    })
    cluster.serve('/apis', {
      kind: 'APIGroupList',
      groups: [group('apps', 'v1'), group('apps.kruise.io', 'v1alpha1'), group('tem.example', 'v1')],
    })
    cluster.serve('/apis/apps.kruise.io/v1alpha1', {
      resources: [
        { name: 'clonesets/status', namespaced: true, kind: 'CloneSet' },
        { name: 'clonesets', singularName: 'cloneset', shortNames: ['clone'], namespaced: true, kind: 'CloneSet' },
      ],
    })
    cluster.serve('/apis/tem.example/v1', {
      resources: [
        { name: 'upgradestrategies', singularName: 'upgradestrategy', namespaced: true, kind: 'UpgradeStrategy' },
      ],
    })
    const table = (columns: string[], cells: unknown[], object: object) => ({
      kind: 'Table',
      columnDefinitions: columns.map((name) => ({ name, priority: name === 'Images' ? 1 : 0 })),
      rows: [{ cells, object }],
    })
    const metadata = { name: 'mist-api', namespace: 'default', uid: 'c1' }
    cluster.serve(
      '/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets',
      table(['Name', 'Desired', 'Updated', 'Ready', 'Age', 'Images'], ['mist-api', 1, 1, 0, '19d', 'mist:1'], {
        kind: 'CloneSet',
        metadata,
      }),
    )
    cluster.serve('/apis/tem.example/v1/namespaces/default/upgradestrategies', {
      kind: 'UpgradeStrategyList',
      items: [{ metadata: { name: 'mist-api', namespace: 'default' } }],
    })
    const ownerReferences = [
      { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'mist-api', uid: 'c1', controller: true },
    ]
    await cluster.addPod('mist-api-l94xz', {}, { metadata: { ownerReferences } })
    const words = ['--related', 'upgradestrategies.tem.example']
    for (const kind of ['clonesets', 'cloneset', 'clone', 'clonesets.apps.kruise.io']) {
      expect(await cluster.run('brief', '--kind', kind, ...words))
        .toBe(`CLONESET                      DESIRED   UPDATED   READY   AGE
   POD                        READY   STATUS    RESTARTS   AGE
mist-api                      1         1         0       19d
├─ pod/mist-api-l94xz         0/1     Pending   0          0s
│     no scheduler has reported on it
└─ upgradestrategy/mist-api
`)
    }
    expect(await cluster.run('brief', '--kind', 'clone', '-o', 'wide')).toContain('mist:1')
  })

  describe('of a custom kind', () => {
    const fleets = '/apis/tem.example/v1/namespaces/default/fleets'

    /** Serves the kind Fleet, with these objects in the namespace default. */
    function serveFleets(cluster: TestCluster, items: readonly object[]): void {
      const preferredVersion = { groupVersion: 'tem.example/v1', version: 'v1' }
      cluster.serve('/apis', { kind: 'APIGroupList', groups: [{ name: 'tem.example', preferredVersion }] })
      const served = { name: 'fleets', singularName: 'fleet', namespaced: true, kind: 'Fleet' }
      cluster.serve('/apis/tem.example/v1', { resources: [served] })
      cluster.serve(fleets, { items })
    }
    const fleet = (name: string, fields: object = {}) => ({
      kind: 'Fleet',
      metadata: { name, namespace: 'default', uid: `uid-${name}` },
      ...fields,
    })
    const scaleRequests = (cluster: TestCluster) => cluster.requests().filter((path) => path.includes('/scale'))

    test('finds the pods by its scale subresource', async () => {
      const cluster = testCluster()
      serveFleets(cluster, [fleet('f')])
      cluster.serve(`${fleets}/f/scale`, { status: { selector: 'app=f,tier=x' } })
      await cluster.addPod('f-1', {}, { metadata: { labels: { app: 'f', tier: 'x' } } })
      await cluster.addPod('other', {}, { metadata: { labels: { app: 'f' } } })
      const text = await cluster.run('brief', 'fleet/f')
      expect(text).toContain('└─ pod/f-1')
      expect(text).not.toContain('other')
    })

    test.for([
      { it: 'its own selector', fields: { spec: { selector: { matchLabels: { app: 'f' } } } } },
      { it: 'a selector in its status', fields: { status: { labelSelector: 'app=f' } } },
      { it: 'the selector in its status that most kinds have', fields: { status: { selector: 'app=f' } } },
    ])('finds the pods by $it, each once, and asks for no scale subresource', async ({ fields }) => {
      const cluster = testCluster()
      serveFleets(cluster, [fleet('f', fields)])
      await cluster.addPod('f-1', {}, { metadata: { labels: { app: 'f' } } })
      await cluster.addPod('loose', {})
      for (const words of [['fleets'], ['fleet/f'], ['--kind', 'fleets']]) {
        const text = await cluster.run('brief', ...words)
        expect(text).toContain('└─ pod/f-1')
        expect(text.match(/f-1/g)).toHaveLength(1)
      }
      expect(await cluster.run('brief', '--kind', 'fleets')).toMatch(/^loose /m)
      expect(scaleRequests(cluster)).toEqual([])
    })

    test('asks for the scale subresource only of objects without a selector that own no pod', async () => {
      const cluster = testCluster()
      serveFleets(cluster, [
        fleet('owner'),
        fleet('f', { spec: { selector: { matchLabels: { app: 'f' } } } }),
        fleet('x'),
      ])
      const ownerReferences = [{ ...owner(fleet('owner'), 'Fleet'), apiVersion: 'tem.example/v1' }]
      await cluster.addPod('owned', {}, { metadata: { ownerReferences } })
      await cluster.run('brief', 'fleets')
      expect(scaleRequests(cluster)).toEqual([`${fleets}/x/scale`])
    })
  })
})
