import { builtInPolicies } from '@berth/built-in-plugins'
import type { Pod } from '@berth/types'
import { resourceRefs } from '@berth/k8s-client'
import { createLaggingServer } from '@berth/simulator/testing'
import { describe, expect, test } from 'vitest'
import { metricDefinitions } from '../src/metrics.ts'
import {
  createTestApi,
  fit,
  post,
  startTestExtender,
  type TestExtender,
  type TestExtenderOptions,
} from './test-extender.ts'

const DONGLE = 'example.com/dongle'
const OBJECT = { namespace: 'kube-system', name: 'retry' }
/** More than the extender and its server need for a signal, milliseconds. */
const LONG_MS = 5_000

interface Scene extends AsyncDisposable {
  readonly extender: TestExtender
  /** Asks about the pod as kube-scheduler does, and returns the nodes that passed. */
  ask(pod: Pod): Promise<readonly string[]>
  /** Time of the last signal; undefined if none was sent. */
  signal(): Promise<string | undefined>
  createObject(): Promise<void>
}

/** One node with one dongle, which `holder` has. */
async function startScene(options: TestExtenderOptions = {}): Promise<Scene> {
  const extender = await startTestExtender({ retrySignal: OBJECT.name, ...options })
  const { admin, address } = extender
  const scene: Scene = {
    extender,
    async ask(pod) {
      const answer = await post(address, '/filter', { Pod: pod, NodeNames: ['node-1'] })
      return (answer.json() as { NodeNames: readonly string[] }).NodeNames
    },
    async signal() {
      const found = await admin.find(resourceRefs.csiStorageCapacities, OBJECT)
      return found?.metadata?.annotations?.['berth.dev/retry']
    },
    async createObject() {
      const object = { metadata: OBJECT, storageClassName: 'none' }
      await admin.create(resourceRefs.csiStorageCapacities, object)
    },
    [Symbol.asyncDispose]: () => extender[Symbol.asyncDispose](),
  }
  await scene.createObject()
  await extender.createNode('node-1', { [DONGLE]: '1' })
  await extender.createBoundPod('holder', 'node-1', { [DONGLE]: '1' })
  await extender.clock.advance(LONG_MS)
  return scene
}

describe('a pod that kube-scheduler retries before the extender sees the deletion that made it retry', () => {
  test('is retried again, because the extender signals kube-scheduler', async () => {
    const on = createTestApi()
    using lagging = createLaggingServer(on.api, { lagMs: 500, random: () => 0 })
    await using scene = await startScene({ on, intercept: () => lagging.handle })
    const { extender } = scene
    const pod = await extender.createPod('waiting', { [DONGLE]: '1' })
    await extender.clock.advance(LONG_MS)
    await extender.deletePod('holder')
    expect(await scene.ask(pod)).toEqual([])
    expect(await scene.signal()).toBeUndefined()
    await extender.clock.advance(LONG_MS)
    expect(await scene.signal()).toBeDefined()
    expect(await scene.ask(pod)).toEqual(['node-1'])
  })

  test('causes no signal when kube-scheduler asks again by itself', async () => {
    await using scene = await startScene()
    const { extender } = scene
    const pod = await extender.createPod('waiting', { [DONGLE]: '1' })
    await extender.settle()
    expect(await scene.ask(pod)).toEqual([])
    await extender.deletePod('holder')
    await extender.settle()
    expect(await scene.ask(pod)).toEqual(['node-1'])
    await extender.clock.advance(LONG_MS)
    expect(await scene.signal()).toBeUndefined()
  })

  test.for([
    ['was deleted', (extender: TestExtender) => extender.deletePod('waiting')],
    [
      'was bound',
      async ({ admin }: TestExtender) => {
        const name = { namespace: 'default', name: 'waiting' }
        const target = { apiVersion: 'v1', kind: 'Node', name: 'node-2' }
        await admin.create(resourceRefs.pods, { metadata: name, target }, { ...name, subresource: 'binding' })
      },
    ],
  ] as const)('causes no signal when it %s meanwhile', async ([, change]) => {
    await using scene = await startScene()
    const { extender } = scene
    const pod = await extender.createPod('waiting', { [DONGLE]: '1' })
    await extender.settle()
    expect(await scene.ask(pod)).toEqual([])
    await change(extender)
    await extender.deletePod('holder')
    await extender.clock.advance(LONG_MS)
    expect(await scene.signal()).toBeUndefined()
  })

  test('causes no signal for a change that does not help it', async () => {
    await using scene = await startScene()
    const { extender } = scene
    const pod = await extender.createPod('waiting', { [DONGLE]: '1' })
    await extender.settle()
    expect(await scene.ask(pod)).toEqual([])
    await extender.createNode('node-2', { [DONGLE]: '1' })
    await extender.clock.advance(LONG_MS)
    expect(await scene.signal()).toBeUndefined()
  })
})

describe('a ConfigMap that a policy reads', () => {
  const configMap = { namespace: 'default', name: 'quotas' }
  const quota = {
    name: 'namespace-quota',
    weight: 1,
    args: { resources: [{ name: DONGLE, configMap: 'default/quotas' }] },
  }
  const patch = (units: string) =>
    [resourceRefs.configMaps, configMap, { data: { default: units } }, { type: 'merge' }] as const

  test('causes a signal when it changes, however long ago the pod was rejected, and none when it is read first', async () => {
    const on = createTestApi()
    await using first = await startTestExtender({ on })
    await first.admin.create(resourceRefs.configMaps, { metadata: configMap, data: { default: '1' } })
    await using scene = await startScene({ on, registered: builtInPolicies, plugins: [fit, quota], bindAs: 'one' })
    const { extender } = scene
    await extender.createNode('node-2', { [DONGLE]: '1' })
    const pod = await extender.createPod('waiting', { [DONGLE]: '1' })
    await extender.clock.advance(LONG_MS)
    const ask = async () => (await post(extender.address, '/filter', { Pod: pod, NodeNames: ['node-2'] })).json()
    expect(JSON.stringify(await ask())).toContain('namespace default may hold 1 example.com/dongle')
    await extender.clock.advance(600_000)
    expect(await scene.signal()).toBeUndefined()
    await extender.admin.patch(...patch('2'))
    await extender.clock.advance(LONG_MS)
    expect(await scene.signal()).toBeDefined()
    expect(await ask()).toMatchObject({ NodeNames: ['node-2'] })
  })
})

test('a signal that the API server refuses is counted, logged and sent again', async () => {
  let failures = 3
  await using scene = await startScene({
    intercept: (handle) => (request) => {
      if (request.method !== 'PATCH' || failures === 0) return handle(request)
      failures--
      return Promise.reject(new Error('the connection was refused'))
    },
  })
  const { extender } = scene
  const pod = await extender.createPod('waiting', { [DONGLE]: '1' })
  await extender.settle()
  expect(await scene.ask(pod)).toEqual([])
  await extender.deletePod('holder')
  await extender.clock.advance(60_000)
  expect(await scene.signal()).toBeDefined()
  const counts = await extender.metrics.registry.getSingleMetricAsString(metricDefinitions.retrySignals.name)
  expect(counts).toContain('berth_extender_retry_signals_total{result="sent"} 1')
  expect(counts).toContain('berth_extender_retry_signals_total{result="failed"}')
  expect(extender.lines.map(({ message }) => message)).toContain(
    'Cannot make kube-scheduler retry rejected pods. They wait until the next change in the cluster',
  )
})
