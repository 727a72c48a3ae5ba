import { resourceRefs } from '@berth/k8s-client'
import type { Node, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { testCluster, type TestCluster } from './test-cluster.ts'
import { untilShown } from './until-shown.ts'

const dongle = 'example.com/dongle'
const zone = 'topology.kubernetes.io/zone'

/** Three nodes in two zones, and one without a zone: three, two and one of four, two and eight dongles are held. */
async function zones(): Promise<TestCluster> {
  const cluster = testCluster()
  await cluster.addNode('node-a', { [dongle]: '4' }, { labels: { [zone]: 'z1' } })
  await cluster.addNode('node-b', { [dongle]: '2' }, { labels: { [zone]: 'z2' } })
  await cluster.addNode('node-c', { [dongle]: '8' }, { labels: { [zone]: 'z2' } })
  await cluster.addNode('node-d', { [dongle]: '1' })
  await cluster.addPod('web', { [dongle]: '3', cpu: '500m' }, { nodeName: 'node-a' })
  await cluster.addPod('full', { [dongle]: '2' }, { nodeName: 'node-b' })
  await cluster.client.create(resourceRefs.namespaces, { metadata: { name: 'shop' } })
  await cluster.addPod('cart', { [dongle]: '1' }, { nodeName: 'node-c', metadata: { namespace: 'shop' } })
  return cluster
}

async function nodesOf(cluster: TestCluster, ...argv: readonly string[]) {
  const { resources } = JSON.parse(await cluster.run('capacity', dongle, '-o', 'json', ...argv))
  return resources[0].nodes as readonly Record<string, unknown>[]
}

describe('capacity', () => {
  test('--pods lists who requests how much on each node', async () => {
    const cluster = await zones()
    const text = await cluster.run('capacity', dongle, '--pods')
    expect(text).toContain(`
  node-a           4          4             3 (75%)     3 (75%)    1      [########..]
    default/web                             3           3
`)
  })

  test('--group-by shows one line for each value of a label, nodes without it last', async () => {
    const cluster = await zones()
    const lines = (await cluster.run('capacity', dongle, '--group-by', zone)).split('\n')
    expect(lines.slice(1, 6).map((line) => line.replaceAll(/ {3,}/g, '|').trim())).toEqual([
      `${zone}|NODES|CAPACITY|ALLOCATABLE|REQUESTED|LIMITS|FREE|LARGEST|USE`,
      'z1|1|4|4|3 (75%)|3 (75%)|1|1|[########..]',
      'z2|2|10|10|3 (30%)|3 (30%)|7|7|[###.......]',
      '(no label)|1|1|1|0 (0%)|0 (0%)|1|1|[..........]',
      'all 4|4|15|15|6 (40%)|6 (40%)|9|7|[####......]',
    ])
    const { resources } = JSON.parse(await cluster.run('capacity', dongle, '--group-by', zone, '-o', 'json'))
    expect(resources[0].groups[1]).toMatchObject({ value: 'z2', nodeCount: 2, free: 7, largestBlock: 7 })
  })

  test.for([
    { key: 'free', order: ['node-c', 'node-a', 'node-d', 'node-b'] },
    { key: 'use', order: ['node-b', 'node-a', 'node-c', 'node-d'] },
    { key: 'requested', order: ['node-a', 'node-b', 'node-c', 'node-d'] },
    { key: 'name', order: ['node-a', 'node-b', 'node-c', 'node-d'] },
  ])('--sort-by $key shows the largest first', async ({ key, order }) => {
    expect((await nodesOf(await zones(), '--sort-by', key)).map(({ node }) => node)).toEqual(order)
  })

  test('-l shows nodes with labels', async () => {
    const cluster = await zones()
    expect((await nodesOf(cluster, '-l', `${zone}=z2`)).map(({ node }) => node)).toEqual(['node-b', 'node-c'])
    expect(await cluster.run('capacity', '-l', 'none=here')).toBe('')
    expect(cluster.terminal.notes()).toContain('None of the 0 nodes offers any extended resource.')
  })

  test('-n counts the requests of one namespace; free units are those that all pods leave', async () => {
    const [a, , c] = await nodesOf(await zones(), '-n', 'shop')
    expect(a).toMatchObject({ requested: 0, free: 1, pods: [] })
    expect(c).toMatchObject({ requested: 1, free: 7, pods: [{ namespace: 'shop', pod: 'cart' }] })
  })

  test('-w shows it again when it changes, until it is stopped', async () => {
    const cluster = await zones()
    const stop = new AbortController()
    const watching = cluster.runUntil(stop.signal, 'capacity', dongle, '-w')
    await untilShown(cluster, 'all 4')
    await cluster.addPod('more', { [dongle]: '1' }, { nodeName: 'node-d' })
    await untilShown(cluster, '7 (47%)')
    stop.abort()
    expect((await watching).match(/^example\.com\/dongle \(units\)$/gm)).toHaveLength(2)
    await expect(cluster.run('capacity', '-w', '-o', 'csv')).rejects.toThrow('capacity: --watch prints text only')
  })

  test('says what it is doing while the API server takes long', async () => {
    const cluster = await zones()
    cluster.slowDown(3_000)
    const running = cluster.run('capacity', dongle)
    await cluster.terminal.clock.advance(1_500)
    expect(cluster.terminal.notes()).toBe('')
    await untilShown(cluster, 'node-a')
    await running
    expect(cluster.terminal.notes()).toBe('Reading nodes and pods …\n')
  })

  test('every format labels the unit the same', async () => {
    const cluster = await zones()
    const names = ['cpu', 'memory', dongle]
    for (const [index, unit] of ['cores', 'bytes', 'units'].entries()) {
      const name = names[index] ?? ''
      expect((await cluster.run('capacity', name)).split('\n')[0]).toBe(`${name} (${unit})`)
      expect(JSON.parse(await cluster.run('capacity', name, '-o', 'json')).resources[0]).toMatchObject({ unit })
      expect(parse(await cluster.run('capacity', name, '-o', 'yaml')).resources[0]).toMatchObject({ unit })
      expect((await cluster.run('capacity', name, '-o', 'csv')).split('\n')[1]).toMatch(`${name},${unit},node-a,`)
    }
    const [cpu] = JSON.parse(await cluster.run('capacity', 'cpu', '-o', 'json')).resources
    expect(cpu.nodes[0]).toMatchObject({ capacity: 2, requested: 0.5, requestedPercent: 25, free: 1.5 })
    expect(await cluster.run('capacity', 'cpu')).toContain('500m (25%)')
  })

  test('-o csv has one record for each node, group, pod or device', async () => {
    const cluster = await zones()
    const csv = async (...argv: readonly string[]) =>
      (await cluster.run('capacity', dongle, '-o', 'csv', ...argv)).split('\n').slice(0, 2)
    expect(await csv()).toEqual([
      'resource,unit,node,capacity,allocatable,requested,requestedPercent,limits,limitsPercent,free,unhealthy',
      `${dongle},units,node-a,4,4,3,75,3,75,1,0`,
    ])
    expect(await csv('--group-by', zone)).toEqual([
      `resource,unit,${zone},nodes,capacity,allocatable,requested,requestedPercent,limits,limitsPercent,free,unhealthy,largestBlock`,
      `${dongle},units,z1,1,4,4,3,75,3,75,1,0,1`,
    ])
    expect(await csv('--pods')).toEqual([
      'resource,unit,node,namespace,pod,requested,limits',
      `${dongle},units,node-a,default,web,3,3`,
    ])
    expect(await csv('--devices')).toEqual(['resource,unit,node,device,health,reason,heldBy', ''])
    cluster.forbid('nodes')
    expect(await csv()).toEqual(['resource,unit,requested,limits,pods', `${dongle},units,6,6,3`])
  })
})

/** A pod of Berth's device plugin, as the chart creates it. */
async function addDevicePlugin(cluster: TestCluster, nodeName: string): Promise<string> {
  const name = `plugin-${nodeName}`
  const labels = { 'app.kubernetes.io/name': 'berth', 'app.kubernetes.io/component': 'device-plugin' }
  await cluster.addPod(
    name,
    {},
    {
      nodeName,
      metadata: { labels },
      containers: [{ name: 'main', image: 'berth', ports: [{ name: 'health', containerPort: 9999 }] }],
    },
  )
  return `/api/v1/namespaces/default/pods/${name}%3A9999/proxy/debug/devices`
}

describe('capacity --devices', () => {
  const heading = '  HELD BY'

  test('asks the device plugin about nodes whose pods report no devices, and shows unhealthy ones', async () => {
    const cluster = await zones()
    await cluster.client.patch<Pod>(
      resourceRefs.pods,
      { namespace: 'default', name: 'web' },
      {
        status: {
          containerStatuses: [
            { name: 'ctr', allocatedResourcesStatus: [{ name: dongle, resources: [{ resourceID: 'd7' }] }] },
          ],
        },
      },
      { type: 'merge', subresource: 'status' },
    )
    await addDevicePlugin(cluster, 'node-a')
    cluster.serve(await addDevicePlugin(cluster, 'node-b'), {
      resources: [
        {
          name: dongle,
          devices: [
            { id: 'd0', health: 'Healthy', heldBy: ['default/full/ctr'] },
            { id: 'd1', health: 'Unhealthy', reason: 'too hot' },
            { id: 'd2', health: 'Healthy' },
          ],
        },
      ],
    })
    const text = await cluster.run('capacity', dongle, '--devices')
    expect(text.slice(text.indexOf(heading))).toBe(`  HELD BY            NODE     DEVICE   HEALTH
  default/web/ctr    node-a   d7       Unknown
  default/full/ctr   node-b   d0       Healthy
  none               node-b   d1       Unhealthy: too hot
`)
    expect(cluster.requests().filter((path) => path.includes('/proxy/'))).toHaveLength(1)
    expect(await cluster.run('capacity', dongle, '--devices', '-o', 'csv')).toContain(
      `${dongle},units,node-b,d1,Unhealthy,too hot,\n`,
    )
  })

  test('says what to change where the device plugin refuses', async () => {
    const cluster = await zones()
    const refusal = { kind: 'Status', message: 'only this host may read the page' }
    for (const node of ['node-a', 'node-b']) cluster.serve(await addDevicePlugin(cluster, node), refusal, 403)
    expect(await cluster.run('capacity', dongle, '--devices')).not.toContain(heading)
    expect(cluster.terminal.notes()).toMatch(
      /^The device plugin on node-[ab] and 1 other nodes gave no list of devices: 403 only this host may read the page\. It answers the pod proxy with remoteDebug/m,
    )
  })

  test('treats a page of another shape as unusable', async () => {
    const cluster = await zones()
    cluster.serve(await addDevicePlugin(cluster, 'node-a'), { resources: 'all' })
    await cluster.run('capacity', dongle, '--devices')
    expect(cluster.terminal.notes()).toContain('the answer is not a list of devices')
  })
})

test(
  'capacity reads 5,000 nodes and 10,000 pods with at most 8 requests, also with -l',
  { timeout: 60_000 },
  async () => {
    const cluster = testCluster()
    const amounts = { cpu: '8', pods: '110', [dongle]: '4' }
    for (let n = 0; n < 5_000; n++)
      await cluster.create(resourceRefs.nodes, {
        metadata: { name: `node-${n}`, labels: { even: `${n % 2}` } },
        status: { capacity: amounts, allocatable: amounts },
      } as Node)
    for (let n = 0; n < 10_000; n++)
      await cluster.addPod(`pod-${n}`, { [dongle]: '1' }, { nodeName: `node-${n % 5_000}` })
    const { resources } = JSON.parse(await cluster.run('capacity', '-o', 'json', '-l', 'even=0'))
    expect(resources[0]).toMatchObject({ resourceName: dongle, requested: 5_000, free: 5_000 })
    expect(resources[0].nodes).toHaveLength(2_500)
    expect(cluster.requests().length).toBeLessThanOrEqual(8)
  },
)
