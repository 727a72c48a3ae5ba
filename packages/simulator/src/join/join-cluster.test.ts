import type { ApiHandler } from '@berth/types'
import { expect, test } from 'vitest'
import { createTestServer } from '../testing.ts'
import { joinCluster } from './join-cluster.ts'

test('reports missing permissions before it writes anything', async () => {
  const { handle, store, clock } = createTestServer()
  const before = store.revision
  const restricted: ApiHandler = async (request) => {
    const { resourceAttributes } = JSON.parse(new TextDecoder().decode(request.body ?? new Uint8Array())).spec
    const { verb, resource, subresource = '' } = resourceAttributes as Record<string, string>
    const isAllowed = !['create nodes', 'patch nodes status', 'update leases'].includes(
      `${verb} ${resource} ${subresource}`.trim(),
    )
    const body = new TextEncoder().encode(JSON.stringify({ status: { allowed: isAllowed } }))
    return { status: 201, headers: {}, body: [body] as unknown as AsyncIterable<Uint8Array> }
  }
  await expect(joinCluster({ handler: restricted, nodes: 1, clock, random: Math.random })).rejects.toMatchObject({
    code: 'BERTH_SIMULATOR_JOIN_FORBIDDEN',
    message:
      'join the cluster: the credentials may not create nodes, patch nodes/status, update leases.coordination.k8s.io in namespace kube-node-lease',
  })
  expect(store.revision).toBe(before)
  await using joined = await joinCluster({ handler: handle, nodes: 1, clock, random: Math.random })
  expect(joined.kubelets.map(({ nodeName }) => nodeName)).toEqual(['berth-sim-1'])
})

test('removes all nodes when one of them cannot be created', async () => {
  const { handle, store, clock } = createTestServer()
  const failing: ApiHandler = async (request) => {
    const body = new TextDecoder().decode(request.body ?? new Uint8Array())
    if (request.method === 'POST' && request.path === '/api/v1/nodes' && body.includes('berth-sim-2')) {
      return { status: 500, headers: {}, body: [] as unknown as AsyncIterable<Uint8Array> }
    }
    return await handle(request)
  }
  await expect(joinCluster({ handler: failing, nodes: 3, clock, random: Math.random })).rejects.toThrow('500')
  expect(store.collection('/nodes').list()).toEqual([])
})
