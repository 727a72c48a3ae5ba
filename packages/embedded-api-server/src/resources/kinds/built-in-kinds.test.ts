import { fakeClock } from '@berth/clock/testing'
import { expect, test } from 'vitest'
import { createApiServer } from '../../api-server.ts'

/** Collections that the informers of kube-scheduler v1.36 list with its default configuration. */
const INFORMED = [
  '/api/v1/namespaces',
  '/api/v1/nodes',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/persistentvolumes',
  '/api/v1/pods',
  '/api/v1/replicationcontrollers',
  '/api/v1/services',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/statefulsets',
  '/apis/policy/v1/poddisruptionbudgets',
  '/apis/resource.k8s.io/v1/deviceclasses',
  '/apis/resource.k8s.io/v1/resourceclaims',
  '/apis/resource.k8s.io/v1/resourceslices',
  '/apis/storage.k8s.io/v1/csidrivers',
  '/apis/storage.k8s.io/v1/csinodes',
  '/apis/storage.k8s.io/v1/csistoragecapacities',
  '/apis/storage.k8s.io/v1/storageclasses',
  '/apis/storage.k8s.io/v1/volumeattachments',
]

function serve(): (method: 'GET' | 'POST', path: string, body?: object) => Promise<{ status: number; json: unknown }> {
  const server = createApiServer({ clock: fakeClock(), random: () => 0.5 })
  return async (method, path, body) => {
    const response = await server.handle({
      method,
      path,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true })
    return { status: response.status, json: JSON.parse(text) }
  }
}

test.each(INFORMED)('serves %s, which kube-scheduler watches', async (path) => {
  const { status, json } = await serve()('GET', path)
  expect(status).toBe(200)
  expect(json).toHaveProperty('items')
})

test('stores the objects of dynamic resource allocation and counts their generations as upstream does', async () => {
  const request = serve()
  const apiVersion = 'resource.k8s.io/v1'
  const claims = `/apis/${apiVersion}/namespaces/default/resourceclaims`
  const requests = [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }]
  const created = [
    await request('POST', `/apis/${apiVersion}/deviceclasses`, {
      apiVersion,
      kind: 'DeviceClass',
      metadata: { name: 'gpu' },
      spec: {},
    }),
    await request('POST', claims, {
      apiVersion,
      kind: 'ResourceClaim',
      metadata: { name: 'a' },
      spec: { devices: { requests } },
    }),
  ]
  expect(created.map(({ status }) => status)).toEqual([201, 201])
  expect(created[0]?.json).toMatchObject({ metadata: { generation: 1 } })
  expect(await request('GET', `${claims}/a`)).toMatchObject({ status: 200, json: { spec: { devices: { requests } } } })
})
