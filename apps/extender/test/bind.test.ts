import { connectCluster } from '@berth/k8s-client'
import { createPluginRegistry, defineSchedulingPlugin, type SchedulingHooks } from '@berth/plugin-api'
import { createFaultInjector, createLaggingServer } from '@berth/simulator/testing'
import { type ApiRequest, type ExtenderBindingResult, type Pod, silentLogger, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkBindConfig } from '../src/bind/check-bind-config.ts'
import { buildExtenderProfile } from '@berth/scheduler-config'
import {
  createTestApi,
  fit,
  post,
  startTestExtender,
  type TestApi,
  type TestExtender,
  type TestExtenderOptions,
} from './test-extender.ts'

const DONGLE = 'example.com/dongle'
const one = { [DONGLE]: '1' }
const noDependents = { effects: [], bindDependents: [] }

async function startBinding(options: TestExtenderOptions = {}): Promise<TestExtender> {
  const extender = await startTestExtender({ bindAs: 'replica-a', ignoredResources: [DONGLE], ...options })
  await extender.createNode('node-a', { [DONGLE]: '1' })
  await extender.settle()
  return extender
}

/** Applies a fault to the first bind request. */
const onBinding = { matches: ({ path }: ApiRequest) => path.endsWith('/binding'), times: 1 }

const bindRequest = (pod: Pod, node: string, uid = pod.metadata.uid) => ({
  PodName: pod.metadata.name,
  PodNamespace: pod.metadata.namespace,
  PodUID: uid,
  Node: node,
})

/** Calls the bind verb and returns its `Error`. */
async function bind(extender: TestExtender, pod: Pod, node: string, uid?: string): Promise<string> {
  const { json } = await extender.drive(post(extender.address, '/bind', bindRequest(pod, node, uid)))
  return (json() as ExtenderBindingResult).Error ?? ''
}

describe('bind', () => {
  test('creates the binding, and gives the last unit to one of two pods in flight', async () => {
    await using extender = await startBinding()
    const first = await extender.createPod('first', one)
    const second = await extender.createPod('second', one)
    await extender.settle()
    const errors = await Promise.all([bind(extender, first, 'node-a'), bind(extender, second, 'node-a')])
    expect(errors.toSorted()).toEqual(['', 'bind pod default/second to node node-a: Insufficient example.com/dongle'])
    expect((await extender.getPod('first'))?.spec.nodeName).toBe('node-a')
    expect((await extender.getPod('second'))?.spec.nodeName).toBeUndefined()
  })

  test('succeeds again for a pod that it bound to the same node', async () => {
    await using extender = await startBinding()
    const pod = await extender.createPod('web', one)
    expect(await bind(extender, pod, 'node-a')).toBe('')
    expect(await bind(extender, pod, 'node-a')).toBe('')
  })

  test.for([
    { it: 'the pod has another uid', node: 'node-a', uid: 'other', says: 'does not contain the pod with uid other' },
    { it: 'the node is unknown', node: 'node-x', uid: undefined, says: 'not known' },
  ])('refuses when $it', async ({ node, uid, says }) => {
    await using extender = await startBinding()
    const pod = await extender.createPod('web', one)
    await extender.settle()
    expect(await bind(extender, pod, node, uid)).toContain(says)
    expect((await extender.getPod('web'))?.spec.nodeName).toBeUndefined()
  })

  test('ends a Binding in flight when the Lease is lost, because it could arrive after those of the next leader', async () => {
    let isCut = false
    let inFlight: AbortSignal | undefined
    const on = createTestApi()
    await using extender = await startTestExtender({
      on,
      bindAs: 'replica-a',
      intercept: (handle) => (request) => {
        const isWrite = request.method !== 'GET'
        if (isCut && isWrite && request.path.includes('/leases/')) return Promise.reject(new Error('cut'))
        if (!isCut || !request.path.endsWith('/binding')) return handle(request)
        inFlight = request.signal
        return new Promise((_, reject) => {
          request.signal?.addEventListener('abort', () => reject(new Error('ended')))
        })
      },
    })
    await extender.createNode('node-a', { [DONGLE]: '2' })
    const [first, late] = [await extender.createPod('first', one), await extender.createPod('late', one)]
    await extender.settle()
    expect(await bind(extender, first, 'node-a')).toBe('')
    isCut = true
    await extender.clock.advance(1_000)
    expect(await bind(extender, late, 'node-a')).toContain('its units stay taken')
    expect(inFlight?.aborted).toBe(false)
    // The renew deadline ends.
    await extender.clock.advance(10_000)
    expect(inFlight?.aborted).toBe(true)
  })

  test('refuses a pod that is bound to another node', async () => {
    await using extender = await startBinding()
    await extender.createNode('node-b', { [DONGLE]: '1' })
    await extender.createBoundPod('web', 'node-b', one)
    await extender.settle()
    const pod = (await extender.getPod('web')) as Pod
    expect(await bind(extender, pod, 'node-a')).toBe('bind pod default/web to node node-a: it is bound to node node-b')
  })

  test('waits for a pod that kube-scheduler saw earlier than the extender', async () => {
    const on = createTestApi()
    using lagging = createLaggingServer(on.api, { lagMs: 400, random: () => 0 })
    await using extender = await startBinding({ on, intercept: () => lagging.handle })
    await extender.clock.advance(1_000)
    const pod = await extender.createPod('web', one)
    expect(await bind(extender, pod, 'node-a')).toBe('')
  })

  test('succeeds when the response of the API server is lost after the pod was bound', async () => {
    const on = createTestApi()
    const faults = createFaultInjector({ clock: on.clock, random: () => 0 })
    faults.add({ ...onBinding, name: 'lost', fault: { kind: 'drop', afterEffect: true } })
    await using extender = await startBinding({ on, intercept: (handle) => faults.wrap(handle) })
    const pod = await extender.createPod('web', one)
    await extender.settle()
    expect(await bind(extender, pod, 'node-a')).toBe('')
    expect(faults.counts()).toEqual(new Map([['lost', 1]]))
  })

  test('keeps the units of a pod while it is not known whether it is bound, and gives them back afterwards', async () => {
    const on = createTestApi()
    const faults = createFaultInjector({ clock: on.clock, random: () => 0 })
    faults.add({ ...onBinding, name: 'lost', fault: { kind: 'drop' } })
    await using extender = await startBinding({ on, intercept: (handle) => faults.wrap(handle) })
    const lost = await extender.createPod('lost', one)
    const web = await extender.createPod('web', one)
    await extender.settle()
    expect(await bind(extender, lost, 'node-a')).toContain('its units stay taken')
    expect(await bind(extender, web, 'node-a')).toContain('Insufficient example.com/dongle')
    await extender.clock.advance(75_000)
    expect(await bind(extender, web, 'node-a')).toBe('')
    expect(faults.counts()).toEqual(new Map([['lost', 1]]))
  })

  test('gives the units back when the API server refuses the bind', async () => {
    const on = createTestApi()
    const faults = createFaultInjector({ clock: on.clock, random: () => 0 })
    faults.add({ ...onBinding, name: 'refused', fault: { kind: 'refuse', status: 409 } })
    await using extender = await startBinding({ on, intercept: (handle) => faults.wrap(handle) })
    const refused = await extender.createPod('refused', one)
    const web = await extender.createPod('web', one)
    await extender.settle()
    expect(await bind(extender, refused, 'node-a')).toMatch(/^bind pod default\/refused to node node-a: /)
    expect(await bind(extender, web, 'node-a')).toBe('')
    expect(faults.counts()).toEqual(new Map([['refused', 1]]))
  })

  test('binds a pod that was recreated with the same name only with its own uid', async () => {
    await using extender = await startBinding()
    const old = await extender.createPod('web', one)
    expect(await bind(extender, old, 'node-a')).toBe('')
    await extender.deletePod('web')
    const next = await extender.createPod('web', one)
    expect(await bind(extender, old, 'node-a')).toContain(`does not contain the pod with uid ${old.metadata.uid}`)
    expect((await extender.getPod('web'))?.spec.nodeName).toBeUndefined()
    expect(await bind(extender, next, 'node-a')).toBe('')
    expect((await extender.getPod('web'))?.spec.nodeName).toBe('node-a')
  })

  test('only one of two replicas binds, and the other one takes over when the calls move', async () => {
    const on = createTestApi()
    await using first = await startBinding({ on })
    await using second = await startTestExtender({ on, bindAs: 'replica-b', ignoredResources: [DONGLE] })
    await first.createNode('node-b', { [DONGLE]: '1' })
    const web = await first.createPod('web', one)
    const next = await first.createPod('next', one)
    await first.settle()
    expect(await bind(first, web, 'node-a')).toBe('')
    expect(await bind(second, next, 'node-b')).toContain('the Lease is held by replica-a')
    await first.clock.advance(70_000)
    expect(await bind(second, next, 'node-b')).toBe('')
  })
})

test('a replica that takes over binds nothing on a view from before its election', async () => {
  const on = createTestApi()
  using lagging = createLaggingServer(on.api, { lagMs: 45_000, random: () => 0 })
  const isWatchOfPods = ({ path }: ApiRequest): boolean => path.includes('/pods?') && path.includes('watch=')
  await using second = await startTestExtender({
    on,
    bindAs: 'replica-b',
    intercept: (handle) => (request) => (isWatchOfPods(request) ? lagging.handle(request) : handle(request)),
  })
  const first = await startBinding({ on })
  const [web, next] = [await first.createPod('web', one), await first.createPod('next', one)]
  await on.clock.advance(100_000)
  expect(second.view.pod('default/next')).toBeDefined()
  expect(await bind(first, web, 'node-a')).toBe('')
  await first[Symbol.asyncDispose]()
  expect(second.view.pod('default/web')?.spec.nodeName).toBeUndefined()
  // The other replica is elected during these calls, 15 s after the last renewal of the first.
  for (let calls = 0; calls < 15; calls++) expect(await bind(second, next, 'node-a')).not.toBe('')
  expect((await second.getPod('next'))?.spec.nodeName).toBeUndefined()
  await on.clock.advance(100_000)
  expect(await bind(second, next, 'node-a')).toContain('Insufficient example.com/dongle')
})

describe('ignoredResources', () => {
  const config = { bind: false, ignoredResources: [DONGLE], plugins: [fit] }
  test.for([
    { it: 'without bind', config, says: 'configure bind: ignoredResources[0]' },
    {
      it: 'without NodeResourcesFit',
      config: { ...config, bind: true, plugins: [{ name: 'chaos-dice', weight: 1, args: {} }] },
      says: 'no plugin counts example.com/dongle',
    },
  ])('are refused $it', ({ config, says }) => {
    expect(() => checkBindConfig(config, noDependents)).toThrow(
      expect.objectContaining({ code: 'BERTH_EXTENDER_CONFIG_BIND', message: expect.stringContaining(says) as string }),
    )
  })

  test.for([
    { it: 'a misspelt name', names: [DONGLE, 'dongle'], args: {}, says: 'ignoredResources[1]: ' },
    { it: 'a native resource', names: ['cpu'], args: {}, says: 'ignoredResources[0]: ' },
    {
      it: 'a resource that NodeResourcesFit ignores',
      names: [DONGLE],
      args: { ignoredResources: [DONGLE] },
      says: `no plugin counts ${DONGLE}`,
    },
    {
      it: 'a resource of a group that NodeResourcesFit ignores',
      names: [DONGLE],
      args: { ignoredResourceGroups: ['example.com'] },
      says: `no plugin counts ${DONGLE}`,
    },
  ])('are refused with $it', ({ names, args, says }) => {
    const plugins = [{ ...fit, args }]
    expect(() => checkBindConfig({ bind: true, ignoredResources: names, plugins }, noDependents)).toThrow(
      expect.objectContaining({ code: 'BERTH_EXTENDER_CONFIG_BIND', message: expect.stringContaining(says) as string }),
    )
  })

  test('are accepted with bind', () => {
    expect(() => checkBindConfig({ ...config, bind: true }, noDependents)).not.toThrow()
  })

  test('put a node without free units into FailedAndUnresolvableNodes, because preemption cannot free them', async () => {
    await using extender = await startBinding()
    await extender.createBoundPod('holder', 'node-a', one)
    const pod = await extender.createPod('web', one)
    await extender.settle()
    const { json } = await post(extender.address, '/filter', { Pod: pod, NodeNames: ['node-a'] })
    expect(json()).toMatchObject({
      NodeNames: [],
      FailedNodes: {},
      FailedAndUnresolvableNodes: { 'node-a': 'Insufficient example.com/dongle' },
    })
  })
})

test.for<{ readonly it: string; readonly needsBind: boolean; readonly hooks: SchedulingHooks }>([
  { it: 'that needs bind', needsBind: true, hooks: { filter() {} } },
  { it: 'that annotates bindings', needsBind: false, hooks: { bindingAnnotations: () => undefined } },
])('a plugin $it is refused without bind', ({ needsBind, hooks }) => {
  const plugin = defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'limit',
    description: 'D.',
    argsSchema: z.strictObject({}),
    needsBind,
    create: () => hooks,
  })
  const registry = createPluginRegistry([{ plugin, origin: 'test' }])
  const plugins = [{ name: 'limit', weight: 1, args: {} }]
  const env = { log: silentLogger, clock: {}, random: () => 0 } as never
  const profile = buildExtenderProfile(plugins, registry, () => env)
  const config = { ignoredResources: [], plugins }
  expect(() => checkBindConfig({ ...config, bind: false }, profile)).toThrow(
    'two pods in flight could break the rule of plugin limit',
  )
  expect(() => checkBindConfig({ ...config, bind: true }, profile)).not.toThrow()
})

test('a plugin with a bind hook is refused without bind', () => {
  const binds = defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'binds',
    description: 'D.',
    argsSchema: z.strictObject({}),
    create: () => ({ bind: () => ({ kind: 'skip' as const }) }),
  })
  const registry = createPluginRegistry([{ plugin: binds, origin: 'test' }])
  const plugins = [{ name: 'binds', weight: 1, args: {} }]
  const { effects } = buildExtenderProfile(
    plugins,
    registry,
    () => ({ log: { debug() {}, info() {}, warn() {}, error() {} } }) as never,
  )
  expect(() => checkBindConfig({ bind: false, ignoredResources: [], plugins }, { ...noDependents, effects })).toThrow(
    'plugin binds has a bind hook, which never runs without bind',
  )
})

describe('the bind hook of a contributed plugin', () => {
  type Hook = NonNullable<SchedulingHooks['bind']>

  /** Starts an extender with a plugin that has this bind hook. */
  async function startWithHook(
    on: TestApi,
    bindHook: Hook,
    intercept: NonNullable<TestExtenderOptions['intercept']> = (handle) => handle,
  ): Promise<TestExtender> {
    const plugin = defineSchedulingPlugin({
      apiVersion: 'berth.dev/v1',
      name: 'binds',
      description: 'Binds pods.',
      argsSchema: z.strictObject({}),
      create: () => ({ bind: bindHook }),
    })
    const plugins = [fit, { name: 'binds', weight: 1, args: {} }]
    return startBinding({ on, registered: [plugin], plugins, intercept })
  }

  test('binds the pod instead of the extender, which confirms it', async () => {
    const on = createTestApi()
    const world = { clock: on.clock, random: () => 0, log: silentLogger }
    await using own = connectCluster({ handler: on.api.handle, ...world, qps: 0, userAgent: 'plugin' })
    const asked: string[] = []
    await using extender = await startWithHook(on, async (pod, nodeName) => {
      asked.push(`${pod.metadata.name} ${nodeName}`)
      await own.client.bind(pod, nodeName, { annotations: { 'example.com/bound-by': 'plugin' } })
      return { kind: 'bound' }
    })
    const pod = await extender.createPod('web', one)
    await extender.settle()
    expect(await bind(extender, pod, 'node-a')).toBe('')
    expect(asked).toEqual(['web node-a'])
    const stored = await extender.getPod('web')
    expect(stored).toMatchObject({
      metadata: { annotations: { 'example.com/bound-by': 'plugin' } },
      spec: { nodeName: 'node-a' },
    })
  })

  test('lets the extender bind the pod when it skips', async () => {
    await using extender = await startWithHook(createTestApi(), () => ({ kind: 'skip' }))
    const pod = await extender.createPod('web', one)
    await extender.settle()
    expect(await bind(extender, pod, 'node-a')).toBe('')
    expect((await extender.getPod('web'))?.spec.nodeName).toBe('node-a')
  })

  test('sends no Binding when the Lease is lost between the check and the request, and gives the units back', async () => {
    const renewed: number[] = []
    let bindings = 0
    let isCut = false
    const on = createTestApi()
    const isTold: boolean[] = []
    const hook: Hook = async ({ metadata: { name } }, _, { signal }) => {
      const waited = Promise.withResolvers<void>()
      on.clock.setTimer(name === 'late' ? 800 : 0, waited.resolve)
      await waited.promise
      isTold.push(signal.aborted)
      return { kind: 'skip' }
    }
    await using extender = await startWithHook(on, hook, (handle) => (request) => {
      if (request.path.endsWith('/binding')) bindings++
      const isRenewal = request.path.includes('/leases/') && request.method !== 'GET'
      if (isRenewal && isCut) return Promise.reject(new Error('cut'))
      if (isRenewal) renewed.push(on.clock.now())
      return handle(request)
    })
    await extender.createNode('node-b', { [DONGLE]: '1' })
    const [first, late] = [await extender.createPod('first', one), await extender.createPod('late', one)]
    await extender.settle()
    expect(await bind(extender, first, 'node-a')).toBe('')
    // The renew deadline of 10 s begins with the last renewal. It ends while the hook of the next bind waits.
    await extender.clock.advance(5_000)
    isCut = true
    await extender.clock.advance((renewed.at(-1) ?? 0) + 9_400 - on.clock.now())
    expect(await bind(extender, late, 'node-b')).not.toBe('')
    await extender.clock.advance(5_000)
    expect(isTold).toEqual([false, true])
    expect(bindings).toBe(1)
    expect((await extender.getPod('late'))?.spec.nodeName).toBeUndefined()
    expect(extender.view.stats().assumed).toBe(0)
  })

  const failures: readonly { readonly it: string; readonly hook: Hook; readonly says: string }[] = [
    {
      it: 'rejects the pod',
      hook: () => ({ kind: 'reject', code: StatusCode.Unschedulable, reasons: ['no license'] }),
      says: 'binds: no license',
    },
    { it: 'reports a bind that did not happen', hook: () => ({ kind: 'bound' }), says: 'but the pod is not bound' },
    {
      it: 'throws',
      hook: () => {
        throw new Error('broken')
      },
      says: 'broken',
    },
    { it: 'does not end', hook: () => new Promise<never>(() => undefined), says: 'no result within 1000 ms' },
  ]
  test.for(failures)('leaves the pod unbound and gives its units back when it $it', async ({ hook, says }) => {
    let isFirst = true
    await using extender = await startWithHook(createTestApi(), (...args) => {
      if (!isFirst) return { kind: 'skip' }
      isFirst = false
      return hook(...args)
    })
    const pod = await extender.createPod('web', one)
    const next = await extender.createPod('next', one)
    await extender.settle()
    expect(await bind(extender, pod, 'node-a')).toContain(says)
    expect((await extender.getPod('web'))?.spec.nodeName).toBeUndefined()
    await extender.clock.advance(75_000)
    expect(await bind(extender, next, 'node-a')).toBe('')
  })

  test('keeps the units after a hook threw, because its request may still take effect', async () => {
    const on = createTestApi()
    await using extender = await startWithHook(on, async ({ metadata }) => {
      if (metadata.name !== 'web') return { kind: 'skip' }
      throw new Error('socket hang up')
    })
    const pod = await extender.createPod('web', one)
    const next = await extender.createPod('next', one)
    await extender.settle()
    expect(await bind(extender, pod, 'node-a')).toContain(
      'run bind of plugin binds: socket hang up; its units stay taken until it is known whether it is bound',
    )
    await extender.clock.advance(5_000)
    expect(await bind(extender, next, 'node-a')).toContain('Insufficient example.com/dongle')
    const world = { clock: on.clock, random: () => 0, log: silentLogger }
    await using own = connectCluster({ handler: on.api.handle, ...world, qps: 0, userAgent: 'plugin' })
    await own.client.bind(pod, 'node-a')
    await extender.clock.advance(75_000)
    expect(await bind(extender, next, 'node-a')).toContain('Insufficient example.com/dongle')
  })

  test('keeps the units while a hook that ignored its deadline may still bind the pod', async () => {
    const on = createTestApi()
    const world = { clock: on.clock, random: () => 0, log: silentLogger }
    await using own = connectCluster({ handler: on.api.handle, ...world, qps: 0, userAgent: 'plugin' })
    const late = Promise.withResolvers<void>()
    await using extender = await startWithHook(on, async (pod, nodeName) => {
      if (pod.metadata.name !== 'web') return { kind: 'skip' }
      await late.promise
      await own.client.bind(pod, nodeName)
      return { kind: 'bound' }
    })
    const pod = await extender.createPod('web', one)
    const next = await extender.createPod('next', one)
    await extender.settle()
    expect(await bind(extender, pod, 'node-a')).toContain('no result within 1000 ms')
    await extender.clock.advance(5_000)
    expect(await bind(extender, next, 'node-a')).toContain('Insufficient example.com/dongle')
    late.resolve()
    await extender.clock.advance(75_000)
    expect((await extender.getPod('web'))?.spec.nodeName).toBe('node-a')
    expect(await bind(extender, next, 'node-a')).toContain('Insufficient example.com/dongle')
  })
})
