import { createTestServer, nodeManifest, podManifest, type TestServer } from '@berth/embedded-api-server/testing'
import { expect, test } from 'vitest'
import { startControllers } from '../start-controllers.ts'

const PODS = '/api/v1/namespaces/default/pods'
const MERGE = 'application/merge-patch+json'
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function withScheduler(): Promise<TestServer & AsyncDisposable> {
  const server = createTestServer()
  const controllers = startControllers(server, { schedulesPods: true })
  await settle()
  return { ...server, [Symbol.asyncDispose]: () => controllers[Symbol.asyncDispose]() }
}

async function addNode(server: TestServer, name: string, spec: object, dongles: string): Promise<void> {
  await server.call('POST', '/api/v1/nodes', { body: { ...nodeManifest(name), spec } })
  const amounts = { cpu: '4', memory: '8Gi', pods: '10', 'example.com/dongle': dongles }
  const body = { status: { capacity: amounts, allocatable: amounts } }
  await server.call('PATCH', `/api/v1/nodes/${name}/status`, { contentType: MERGE, body })
  await settle()
}

async function scheduledCondition(server: TestServer, name: string) {
  const { body } = await server.call('GET', `${PODS}/${name}`)
  const { conditions = [] } = body.status as { readonly conditions?: readonly { readonly type: string }[] }
  return { condition: conditions.find(({ type }) => type === 'PodScheduled'), version: body.metadata.resourceVersion }
}

test('says in the condition PodScheduled why no node can run a pod, and writes it only when it changes', async () => {
  await using server = await withScheduler()
  await server.call('POST', PODS, { body: podManifest('web', { 'example.com/dongle': '3' }) })
  await settle()
  const reason = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }
  const first = await scheduledCondition(server, 'web')
  expect(first.condition).toMatchObject({ ...reason, message: 'no nodes available to schedule pods' })
  await addNode(server, 'cordoned', { unschedulable: true }, '8')
  await addNode(server, 'small-1', {}, '2')
  await addNode(server, 'small-2', {}, '2')
  await addNode(server, 'tainted', { taints: [{ key: 'a', effect: 'NoSchedule' }] }, '8')
  const second = await scheduledCondition(server, 'web')
  expect(second.condition).toMatchObject({
    ...reason,
    message:
      '0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient example.com/dongle.',
  })
  // A change of a node that changes nothing for the pod.
  await server.call('PATCH', '/api/v1/nodes/small-1', {
    contentType: MERGE,
    body: { metadata: { labels: { a: 'b' } } },
  })
  await settle()
  expect(await scheduledCondition(server, 'web')).toEqual(second)
  await addNode(server, 'large', {}, '8')
  expect((await scheduledCondition(server, 'web')).condition).toMatchObject({ status: 'True' })
})
