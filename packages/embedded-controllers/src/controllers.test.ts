import { describe, expect, test } from 'vitest'
import { createTestServer, podManifest, type TestServer } from '@berth/embedded-api-server/testing'
import { startControllers } from './start-controllers.ts'

const PODS = '/api/v1/namespaces/default/pods'
const SETS = '/apis/apps/v1/namespaces/default/replicasets'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const MERGE = 'application/merge-patch+json'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function withControllers(): Promise<TestServer & AsyncDisposable> {
  const server = createTestServer()
  const controllers = startControllers(server)
  await settle()
  return { ...server, [Symbol.asyncDispose]: () => controllers[Symbol.asyncDispose]() }
}

const deployment = (image: string, replicas = 3, strategy: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    ...strategy,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
  },
})

async function podsOf(
  server: TestServer,
): Promise<readonly { metadata: { name: string }; spec: { containers: { image: string }[] } }[]> {
  return (await server.call('GET', PODS)).body.items
}

/** Sets every pod to Running and Ready, like kubelets. */
async function makeReady(server: TestServer): Promise<void> {
  for (const { metadata } of await podsOf(server)) {
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await server.call('PATCH', `${PODS}/${metadata.name}/status`, { contentType: MERGE, body: { status } })
  }
  await settle()
}

describe('deployments', () => {
  test('create a ReplicaSet that creates pods, and count them', async () => {
    await using server = await withControllers()
    await server.call('POST', DEPLOYMENTS, { body: deployment('a') })
    await settle()
    expect(await podsOf(server)).toHaveLength(3)
    await makeReady(server)
    const { body } = await server.call('GET', `${DEPLOYMENTS}/web`)
    expect(body.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    })
    expect(body.status.conditions).toMatchObject([
      { type: 'Available', status: 'True' },
      { type: 'Progressing', reason: 'NewReplicaSetAvailable' },
    ])
    expect(body.metadata.annotations['deployment.kubernetes.io/revision']).toBe('1')
  })

  test('roll out a new template with all pods available', async () => {
    await using server = await withControllers()
    await server.call('POST', DEPLOYMENTS, { body: deployment('a') })
    await settle()
    await makeReady(server)
    await server.call('PUT', `${DEPLOYMENTS}/web`, { body: deployment('b') })
    await settle()
    let rounds = 0
    for (; rounds < 10; rounds++) {
      const images = (await podsOf(server)).map(({ spec }) => spec.containers[0]?.image)
      expect(images.length).toBeLessThanOrEqual(4)
      expect(images.length).toBeGreaterThanOrEqual(3)
      if (images.every((image) => image === 'b')) break
      await makeReady(server)
    }
    expect(rounds).toBeGreaterThan(1)
    expect(rounds).toBeLessThan(10)
    await makeReady(server)
    const sets = (await server.call('GET', SETS)).body.items
    expect(sets.map((set: { spec: { replicas: number } }) => set.spec.replicas).sort()).toEqual([0, 3])
    expect((await server.call('GET', `${DEPLOYMENTS}/web`)).body.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
    })
  })

  test('delete all old pods first with Recreate', async () => {
    await using server = await withControllers()
    const strategy = { strategy: { type: 'Recreate' } }
    await server.call('POST', DEPLOYMENTS, { body: deployment('a', 2, strategy) })
    await settle()
    await server.call('PUT', `${DEPLOYMENTS}/web`, { body: deployment('b', 2, strategy) })
    await settle()
    expect((await podsOf(server)).map(({ spec }) => spec.containers[0]?.image)).toEqual(['b', 'b'])
  })

  test('follow the number of replicas, and replace deleted pods', async () => {
    await using server = await withControllers()
    await server.call('POST', DEPLOYMENTS, { body: deployment('a') })
    await settle()
    await server.call('PATCH', `${DEPLOYMENTS}/web/scale`, { contentType: MERGE, body: { spec: { replicas: 1 } } })
    await settle()
    const [pod] = await podsOf(server)
    await server.call('DELETE', `${PODS}/${pod?.metadata.name}`)
    await settle()
    const [replacement, ...others] = await podsOf(server)
    expect(others).toEqual([])
    expect(replacement?.metadata.name).not.toBe(pod?.metadata.name)
  })
})

describe('garbage collection', () => {
  test('deletes everything that a deleted Deployment owned', async () => {
    await using server = await withControllers()
    await server.call('POST', DEPLOYMENTS, { body: deployment('a') })
    await settle()
    await server.call('DELETE', `${DEPLOYMENTS}/web`)
    await settle()
    expect(await podsOf(server)).toEqual([])
    expect((await server.call('GET', SETS)).body.items).toEqual([])
  })

  test('deletes the owner last with foreground deletion', async () => {
    await using server = await withControllers()
    await server.call('POST', DEPLOYMENTS, { body: deployment('a') })
    await settle()
    const answer = await server.call('DELETE', `${DEPLOYMENTS}/web`, { body: { propagationPolicy: 'Foreground' } })
    expect(answer.body.metadata.finalizers).toEqual(['foregroundDeletion'])
    await settle()
    expect((await server.call('GET', `${DEPLOYMENTS}/web`)).status).toBe(404)
    expect(await podsOf(server)).toEqual([])
  })

  test('keeps the dependents with orphan deletion', async () => {
    await using server = await withControllers()
    await server.call('POST', DEPLOYMENTS, { body: deployment('a') })
    await settle()
    await server.call('DELETE', `${DEPLOYMENTS}/web?propagationPolicy=Orphan`)
    await settle()
    expect((await server.call('GET', `${DEPLOYMENTS}/web`)).status).toBe(404)
    const [set] = (await server.call('GET', SETS)).body.items
    expect(set.metadata.ownerReferences).toBeUndefined()
    expect(await podsOf(server)).toHaveLength(3)
  })

  test('deletes an object whose owner never existed', async () => {
    await using server = await withControllers()
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'ghost', uid: 'ghost' }]
    await server.call('POST', PODS, { body: { ...podManifest('p'), metadata: { name: 'p', ownerReferences } } })
    await settle()
    expect(await podsOf(server)).toEqual([])
  })
})

describe('namespaces', () => {
  test('get a service account, and are deleted with their content', async () => {
    await using server = await withControllers()
    await server.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'n' } } })
    await settle()
    expect((await server.call('GET', '/api/v1/namespaces/n/serviceaccounts/default')).status).toBe(200)
    await server.call('POST', '/api/v1/namespaces/n/pods', { body: podManifest('p', {}, { nodeName: 'n1' }) })
    await server.call('DELETE', '/api/v1/namespaces/n')
    await settle()
    expect((await server.call('GET', '/api/v1/namespaces/n')).body.status.phase).toBe('Terminating')
    await server.call('DELETE', '/api/v1/namespaces/n/pods/p?gracePeriodSeconds=0')
    await settle()
    expect((await server.call('GET', '/api/v1/namespaces/n')).status).toBe(404)
  })
})

describe('disruption budgets', () => {
  test('count the pods that may be evicted', async () => {
    await using server = await withControllers()
    await server.call('POST', DEPLOYMENTS, { body: deployment('a') })
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
    await server.call('POST', budgets, {
      body: { metadata: { name: 'b' }, spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } } },
    })
    await settle()
    await makeReady(server)
    const { body } = await server.call('GET', `${budgets}/b`)
    expect(body.status).toMatchObject({ expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 })
  })
})
