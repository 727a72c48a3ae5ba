import { expect, test } from 'vitest'
import { createTestServer } from '../../testing.ts'

const PATH = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies'

const create = (spec: object) => createTestServer().call('POST', PATH, { body: { metadata: { name: 'x' }, spec } })

test.for([
  { it: 'for a policy without a spec', spec: {}, expected: { podSelector: {}, policyTypes: ['Ingress'] } },
  {
    it: 'for a policy with egress rules',
    spec: { egress: [{}] },
    expected: { podSelector: {}, egress: [{}], policyTypes: ['Ingress', 'Egress'] },
  },
  {
    it: 'for ports without a protocol',
    spec: { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ ports: [{ port: 80 }] }] },
    expected: {
      podSelector: { matchLabels: { a: 'b' } },
      ingress: [{ ports: [{ protocol: 'TCP', port: 80 }] }],
      policyTypes: ['Ingress'],
    },
  },
])('fills in defaults $it', async ({ spec, expected }) => {
  const { status, body } = await create(spec)
  expect([status, body.spec]).toEqual([201, expected])
  expect(body.metadata.generation).toBe(1)
})

test('increments the generation when the spec changes, and serves a table', async () => {
  const server = createTestServer()
  await server.call('POST', PATH, { body: { metadata: { name: 'x' }, spec: {} } })
  const patch = { body: { spec: { podSelector: { matchLabels: { app: 'web' } } } } }
  const contentType = 'application/merge-patch+json'
  expect((await server.call('PATCH', `${PATH}/x`, { ...patch, contentType })).body.metadata.generation).toBe(2)
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const { body } = await server.call('GET', PATH, { headers: { accept } })
  expect(body.columnDefinitions.map(({ name }: { readonly name: string }) => name)).toEqual([
    'Name',
    'Pod-Selector',
    'Age',
  ])
  expect(body.rows[0].cells.slice(0, 2)).toEqual(['x', 'app=web'])
})
