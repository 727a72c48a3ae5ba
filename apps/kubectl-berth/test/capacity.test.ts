import { resourceRefs } from '@berth/k8s-client'
import { describe, expect, test } from 'vitest'
import { testCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

async function twoNodes() {
  const cluster = testCluster()
  await cluster.addNode('node-a', { [dongle]: '4' })
  await cluster.addNode('node-b', { [dongle]: '10', 'example.com/seat': '0' })
  await cluster.client.patchNodeStatus(
    'node-b',
    { status: { allocatable: { [dongle]: '8' } } },
    { fieldManager: 'test' },
  )
  await cluster.addPod('a', { [dongle]: '3' }, { nodeName: 'node-a' })
  await cluster.addPod('b', { [dongle]: '2' }, { nodeName: 'node-b' })
  await cluster.addPod('waiting', { [dongle]: '99' })
  return cluster
}

describe('capacity', () => {
  test('shows capacity, requests and free units, and the largest request that still fits', async () => {
    const cluster = await twoNodes()
    expect(await cluster.run('capacity')).toBe(`example.com/dongle (units)
NODE       CAPACITY   ALLOCATABLE   REQUESTED   LIMITS    FREE   UNHEALTHY   USE
  node-a   4          4             3 (75%)     3 (75%)   1      0           [########..]
  node-b   10         8             2 (25%)     2 (25%)   6      2           [###.......]
  all 2    14         12            5 (42%)     5 (42%)   7      2           [#####.....]
  The largest request that still fits: 6.

example.com/seat (units)
NODE       CAPACITY   ALLOCATABLE   REQUESTED   LIMITS   FREE   USE
  node-b   0          0             0           0        0
  all 1    0          0             0           0        0
  The largest request that still fits: 0.
`)
  })

  test('gives programs the numbers of one resource', async () => {
    const cluster = await twoNodes()
    const { resources } = JSON.parse(await cluster.run('capacity', dongle, '-o', 'json'))
    expect(resources).toMatchObject([
      {
        resourceName: dongle,
        capacity: 14,
        allocatable: 12,
        requested: 5,
        unit: 'units',
        requestedPercent: 42,
        limits: 5,
        limitsPercent: 42,
        free: 7,
        unhealthy: 2,
        largestBlock: 6,
        nodes: [
          { node: 'node-a', pods: [{ namespace: 'default', pod: 'a', requested: 3, limits: 3 }] },
          { free: 6, unhealthy: 2 },
        ],
      },
    ])
  })

  test('shows which container holds which device with --devices', async () => {
    const cluster = await twoNodes()
    expect(await cluster.run('capacity', dongle, '--devices')).not.toContain('HELD BY')
    expect(cluster.terminal.notes()).toContain('No pod status names a device.')
    const allocatedResourcesStatus = (...ids: readonly string[]) => [
      { name: dongle, resources: ids.map((resourceID) => ({ resourceID, health: 'Healthy' })) },
    ]
    const report = (pod: string, status: object) =>
      cluster.client.patch(
        resourceRefs.pods,
        { namespace: 'default', name: pod },
        { status },
        { type: 'merge', subresource: 'status' },
      )
    await report('a', {
      containerStatuses: [{ name: 'main', allocatedResourcesStatus: allocatedResourcesStatus('d2', 'd0') }],
    })
    await report('b', {
      initContainerStatuses: [{ name: 'side', allocatedResourcesStatus: allocatedResourcesStatus('x\u001B[2J') }],
    })
    const text = await cluster.run('capacity', dongle, '--devices')
    expect(text.slice(text.indexOf('  HELD BY'))).toBe(`  HELD BY          NODE     DEVICE   HEALTH
  default/a/main   node-a   d0       Healthy
  default/a/main   node-a   d2       Healthy
  default/b/side   node-b   x        Healthy
`)
    const { resources } = JSON.parse(await cluster.run('capacity', dongle, '--devices', '-o', 'json'))
    expect(resources[0].devices[0]).toEqual({
      node: 'node-a',
      id: 'd0',
      health: 'Healthy',
      namespace: 'default',
      pod: 'a',
      container: 'main',
    })
  })

  test('shows cpu and memory only with --all', async () => {
    const cluster = await twoNodes()
    expect(await cluster.run('capacity', '--all')).toMatch(/^cpu \(cores\)\n/)
    expect(await cluster.run('capacity', 'memory')).toMatch(/^memory \(bytes\)\n[^]*2049008Ki/)
  })

  test('says what to do when no node offers anything', async () => {
    const cluster = testCluster()
    await cluster.addNode('node-a')
    expect(await cluster.run('capacity')).toBe('')
    expect(cluster.terminal.notes()).toBe(
      'None of the 1 nodes offers any extended resource. To see all: kubectl berth capacity --all\n',
    )
  })

  test('counts the pods of the namespace where those of the cluster may not be listed, and says so', async () => {
    const cluster = await twoNodes()
    cluster.forbidClusterWide('pods')
    expect(await cluster.run('capacity', dongle)).toContain('all 2    14         12            5 (42%)')
    expect(cluster.terminal.notes()).toBe(
      'Only pods of namespace default are counted: this user may not list pods of other namespaces.\n',
    )
    const { missing } = JSON.parse(await cluster.run('capacity', '-o', 'json'))
    expect(missing).toEqual(['pods (other namespaces)'])
  })

  test('shows what pods request when nodes may not be listed', async () => {
    const cluster = await twoNodes()
    cluster.forbid('nodes')
    expect(await cluster.run('capacity')).toBe(
      'RESOURCE                     REQUESTED   LIMITS   PODS\nexample.com/dongle (units)   5           5        2\n',
    )
    expect(cluster.terminal.notes()).toContain('Grant the verb list on nodes to see the rest.')
    expect(await cluster.run('capacity', 'example.com/other')).toBe('No pod with a node requests it.\n')
    expect(JSON.parse(await cluster.run('capacity', 'cpu', '-o', 'json'))).toEqual({
      missing: ['nodes'],
      requested: [],
    })
  })

  test('counts no pods when they may not be listed at all', async () => {
    const cluster = await twoNodes()
    cluster.forbid('pods')
    expect(await cluster.run('capacity', dongle)).toContain('node-a   4          4             0 (0%)      0 (0%)   4')
    expect(cluster.terminal.notes()).toBe('No pods are counted: this user may not list pods.\n')
  })
})
