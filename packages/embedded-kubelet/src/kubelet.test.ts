import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { ContainerAllocateResponse } from '@berth/kubelet-api'
import type { Lease, Node, Pod } from '@berth/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createKubelet } from './kubelet.ts'
import type { Kubelet, KubeletOptions } from './kubelet-options.ts'
import { miniApi, type MiniApi } from './testing/mini-api.ts'

const DONGLE = 'example.com/dongle'
const NODE = '/api/v1/nodes/n1'
const PODS = '/api/v1/namespaces/default/pods'

interface House {
  readonly api: MiniApi
  readonly clock: FakeClock
  readonly kubelet: Kubelet
  readonly node: () => Node
  readonly pod: (name: string) => Pod | undefined
  readonly bind: (
    name: string,
    options?: Partial<Pod['spec']> & { annotations?: Record<string, string> },
  ) => Promise<Pod>
  /** Registers an in-process plugin with a number of healthy devices. */
  readonly plug: (
    count: number,
    allocate?: () => Promise<ContainerAllocateResponse>,
  ) => { list(healthy: number, all: number): void; stop(): void }
}

const settle = (): Promise<void> => fakeClock({ turns: 20 }).settle()

async function setUp(options: Partial<KubeletOptions> = {}, before: (api: MiniApi) => void = () => {}): Promise<House> {
  const api = miniApi()
  before(api)
  const clock = fakeClock({ turns: 20 })
  let draws = 0
  const random = (): number => ((draws += 7) % 101) / 101
  const kubelet = createKubelet({ handler: api.handler, nodeName: 'n1', clock, random, ...options })
  onTestFinished(() => kubelet.stop())
  await kubelet.start()
  await settle()
  return {
    api,
    clock,
    kubelet,
    node: () => api.object(NODE) as Node,
    pod: (name) => api.object(`${PODS}/${name}`) as Pod | undefined,
    async bind(name, { annotations = {}, ...spec } = {}) {
      const pod = {
        metadata: { name, namespace: 'default', annotations, uid: `uid-of-${name}` },
        spec: { containers: [{ name: 'main', image: 'img' }], ...spec, nodeName: 'n1' },
        status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
      }
      api.put(PODS, pod)
      await settle()
      return api.object(`${PODS}/${name}`) as Pod
    },
    plug(count, allocate = async () => ContainerAllocateResponse.create({})) {
      const registration = kubelet.devices.register(DONGLE, {
        endpoint: { allocate, getPreferredAllocation: async () => [], preStartContainer: async () => {} },
        options: { preStartRequired: false, getPreferredAllocationAvailable: false },
      })
      const list = (healthy: number, all: number): void => {
        const device = (_: unknown, i: number) => ({
          ID: `d${i}`,
          health: i < healthy ? 'Healthy' : 'Unhealthy',
          topology: undefined,
        })
        registration.setDevices(Array.from({ length: all }, device))
      }
      list(count, count)
      return { list, stop: () => registration.stop() }
    },
  }
}

const dongles = (count: number): Partial<Pod['spec']> => ({
  containers: [{ name: 'main', resources: { requests: { [DONGLE]: count }, limits: { [DONGLE]: count } } }],
})
const statusOf = (node: Node, map: 'capacity' | 'allocatable', name = DONGLE): unknown => node.status?.[map]?.[name]

describe('the node', () => {
  test('registers as ready, with its resources, addresses and a Lease', async () => {
    const { api, node } = await setUp({ capacity: { cpu: '4' }, reserved: { cpu: '500m' }, labels: { zone: 'a' } })
    expect(node().metadata.labels).toMatchObject({ 'kubernetes.io/hostname': 'n1', zone: 'a' })
    expect(node().status?.capacity).toMatchObject({ cpu: '4', memory: '32Gi', pods: '110' })
    expect(node().status?.allocatable).toMatchObject({ cpu: '3500m', memory: '32Gi' })
    expect(node().status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' })
    expect(node().status?.addresses?.map(({ type }) => type)).toEqual(['InternalIP', 'Hostname'])
    const lease = api.object('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1') as Lease
    expect(lease.spec).toMatchObject({ holderIdentity: 'n1', leaseDurationSeconds: 40 })
    expect(lease.spec?.renewTime).toBe('2026-01-01T00:00:00.000000Z')
  })

  test('writes only the Lease, and the status every five minutes, while nothing changes', async () => {
    const { api, clock } = await setUp()
    await clock.advance(2000)
    api.requests.length = 0
    await clock.advance(60_000)
    expect(api.requests.filter((line) => !line.includes('/leases/'))).toEqual([])
    expect(api.requests.length).toBe(6)
    await clock.advance(300_000)
    expect(api.requests.filter((line) => line === `PATCH ${NODE}/status`)).toHaveLength(1)
  })

  test('copies patched capacity to allocatable at the next sync, and removes it together with capacity', async () => {
    const { api, clock, node } = await setUp()
    api.put('/api/v1/nodes', {
      ...node(),
      status: { ...node().status, capacity: { ...node().status?.capacity, [DONGLE]: '4' } },
    })
    await clock.advance(1000)
    expect(statusOf(node(), 'allocatable')).toBe('4')
    const { [DONGLE]: _, ...capacity } = node().status?.capacity ?? {}
    api.put('/api/v1/nodes', { ...node(), status: { ...node().status, capacity } })
    await clock.advance(1000)
    expect(statusOf(node(), 'allocatable')).toBeUndefined()
  })

  test('overwrites patched amounts with the counts of a device plugin', async () => {
    const { api, clock, node, plug } = await setUp()
    plug(3)
    await clock.advance(1000)
    expect([statusOf(node(), 'capacity'), statusOf(node(), 'allocatable')]).toEqual(['3', '3'])
    const capacity = { ...node().status?.capacity, [DONGLE]: '9' }
    api.put('/api/v1/nodes', { ...node(), status: { ...node().status, capacity } })
    await clock.advance(1000)
    expect([statusOf(node(), 'capacity'), statusOf(node(), 'allocatable')]).toEqual(['3', '3'])
  })

  test('sets allocatable to 0 when a plugin leaves, capacity to 0 after five minutes, and keeps a later removal', async () => {
    const { api, clock, node, plug } = await setUp()
    plug(3).stop()
    await clock.advance(1000)
    expect([statusOf(node(), 'capacity'), statusOf(node(), 'allocatable')]).toEqual(['3', '0'])
    await clock.advance(301_000)
    expect([statusOf(node(), 'capacity'), statusOf(node(), 'allocatable')]).toEqual(['0', '0'])
    const without = (list: Record<string, unknown> = {}): unknown =>
      Object.fromEntries(Object.entries(list).filter(([name]) => name !== DONGLE))
    const { status } = node()
    api.put('/api/v1/nodes', {
      ...node(),
      status: { ...status, capacity: without(status?.capacity), allocatable: without(status?.allocatable) },
    })
    await clock.advance(5000)
    expect([statusOf(node(), 'capacity'), statusOf(node(), 'allocatable')]).toEqual([undefined, undefined])
  })

  test.for([
    { it: 'keeps', resetsExtendedResources: false, left: '4' },
    { it: 'zeroes when told so', resetsExtendedResources: true, left: '0' },
  ])('a restart $it hand-patched resources', async ({ resetsExtendedResources, left }) => {
    const { api, clock, kubelet, node } = await setUp()
    const capacity = { ...node().status?.capacity, [DONGLE]: '4' }
    api.put('/api/v1/nodes', { ...node(), status: { ...node().status, capacity } })
    await kubelet.restart({ resetsExtendedResources })
    await clock.advance(1000)
    expect([statusOf(node(), 'capacity'), statusOf(node(), 'allocatable')]).toEqual([left, left])
  })

  test('does not recreate a deleted node until the kubelet restarts', async () => {
    const { api, clock, kubelet, node } = await setUp()
    api.remove(NODE)
    await clock.advance(400_000)
    expect(node()).toBeUndefined()
    await kubelet.restart()
    expect(node().metadata.name).toBe('n1')
  })

  test('survives errors of the API server and ended watches', async () => {
    const { api, clock, node, plug, bind } = await setUp()
    api.refuse(/PATCH .*nodes/u, 500, 3)
    api.refuse(/watch=1/u, 410, 1)
    api.refuse(/leases/u, 409, 1)
    api.endWatches()
    plug(2)
    await clock.advance(12_000)
    expect(statusOf(node(), 'allocatable')).toBe('2')
    expect((await bind('late')).status?.phase).toBe('Running')
  })
})

test('ephemeral containers run as long as their pod', async () => {
  const { api, pod, bind } = await setUp()
  const { metadata, ...bound } = await bind('p')
  const looker = { name: 'look', image: 'tool' }
  const spec = { ...bound.spec, ephemeralContainers: [looker] }
  api.put(PODS, { ...bound, metadata: { ...metadata, generation: 2 }, spec })
  await settle()
  expect(pod('p')?.status).toMatchObject({
    phase: 'Running',
    ephemeralContainerStatuses: [{ name: 'look', image: 'tool', ready: false, state: { running: {} } }],
  })
})

describe('a resize', () => {
  const sized = (cpu: string): Pod['spec']['containers'] => [
    { name: 'main', image: 'img', resources: { requests: { cpu }, limits: { cpu } } },
  ]
  const resize = async ({ api, pod }: House, name: string, cpu: string): Promise<void> => {
    const before = pod(name) as Pod
    const generation = (before.metadata.generation ?? 1) + 1
    const metadata = { ...before.metadata, generation }
    api.put(PODS, { ...before, metadata, spec: { ...before.spec, containers: sized(cpu) } })
    await settle()
  }
  const pending = (pod: Pod | undefined): unknown =>
    pod?.status?.conditions?.find(({ type }) => type === 'PodResizePending')

  test('is reported in the status as soon as the node has room for it', async () => {
    const house = await setUp({ capacity: { cpu: '4' } })
    await house.bind('p', { containers: sized('1') })
    expect(house.pod('p')?.status?.containerStatuses?.[0]).toMatchObject({
      allocatedResources: { cpu: '1' },
      resources: { requests: { cpu: '1' }, limits: { cpu: '1' } },
    })
    await resize(house, 'p', '3')
    expect(house.pod('p')?.status).toMatchObject({
      observedGeneration: 2,
      containerStatuses: [{ allocatedResources: { cpu: '3' }, restartCount: 0, resources: { limits: { cpu: '3' } } }],
    })
    expect(pending(house.pod('p'))).toBeUndefined()
  })

  test('stays pending, with the old resources, until another pod leaves enough room', async () => {
    const house = await setUp({ capacity: { cpu: '4' } })
    await house.bind('p', { containers: sized('1') })
    await house.bind('other', { containers: sized('2') })
    await resize(house, 'p', '3')
    expect(pending(house.pod('p'))).toMatchObject({
      status: 'True',
      reason: 'Deferred',
      message: "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000",
      observedGeneration: 2,
    })
    expect(house.pod('p')?.status?.containerStatuses?.[0]?.resources?.limits).toEqual({ cpu: '1' })
    house.api.remove(`${PODS}/other`)
    await settle()
    expect(pending(house.pod('p'))).toBeUndefined()
    expect(house.pod('p')?.status?.containerStatuses?.[0]?.resources?.limits).toEqual({ cpu: '3' })
  })

  test('restarts no container, regardless of its resize policy', async () => {
    const house = await setUp({ capacity: { cpu: '4' } })
    const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }]
    await house.bind('p', { containers: sized('1').map((each) => ({ ...each, resizePolicy })) })
    await resize(house, 'p', '2')
    expect(house.pod('p')?.status?.containerStatuses).toMatchObject([
      { restartCount: 0, resources: { limits: { cpu: '2' } } },
    ])
    expect(house.pod('p')?.status?.conditions?.map(({ type }) => type)).not.toContain('PodResizeInProgress')
  })

  test('at pod level is reported in the status too', async () => {
    const house = await setUp({ capacity: { cpu: '4' } })
    const pod = await house.bind('p', { resources: { requests: { cpu: '1' } } })
    const spec = { ...pod.spec, resources: { requests: { cpu: '2' } } }
    house.api.put(PODS, { ...pod, metadata: { ...pod.metadata, generation: 2 }, spec })
    await settle()
    expect(house.pod('p')?.status).toMatchObject({
      resources: { requests: { cpu: '2' } },
      allocatedResources: { cpu: '2' },
    })
  })

  test('that is reverted while pending is forgotten', async () => {
    const house = await setUp({ capacity: { cpu: '4' } })
    await house.bind('p', { containers: sized('1') })
    await house.bind('other', { containers: sized('2') })
    await resize(house, 'p', '3')
    await resize(house, 'p', '1')
    expect(pending(house.pod('p'))).toBeUndefined()
    expect(house.pod('p')?.status).toMatchObject({ observedGeneration: 3 })
  })

  test('that is pending grants nothing more when the kubelet restarts', async () => {
    const house = await setUp({ capacity: { cpu: '4' } })
    await house.bind('p', { containers: sized('1') })
    await house.bind('other', { containers: sized('2') })
    await resize(house, 'p', '3')
    await house.kubelet.restart()
    await settle()
    expect(house.pod('p')?.status).toMatchObject({ phase: 'Running' })
    expect(house.pod('p')?.status?.containerStatuses?.[0]?.resources?.limits).toEqual({ cpu: '1' })
    expect(pending(house.pod('p'))).toMatchObject({ reason: 'Deferred' })
  })
})

describe('pods', () => {
  test('runs a bound pod, and reports it as ready with its addresses', async () => {
    const { bind } = await setUp()
    const pod = await bind('p', { initContainers: [{ name: 'init' }, { name: 'side', restartPolicy: 'Always' }] })
    expect(pod.status).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ name: 'main', ready: true, image: 'img' }],
    })
    expect(pod.status?.podIP).toMatch(/^10\.\d+\.\d+\.2$/u)
    expect(pod.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ])
    expect(pod.status?.initContainerStatuses?.map(({ state }) => Object.keys(state ?? {}))).toEqual([
      ['terminated'],
      ['running'],
    ])
  })

  test('terminates a deleted pod after the termination time, then deletes its object', async () => {
    const { api, clock, bind, pod } = await setUp({ terminationMs: 2000 })
    const bound = await bind('p')
    api.put(PODS, { ...bound, metadata: { ...bound.metadata, deletionTimestamp: '2026-01-01T00:00:30Z' } })
    await clock.advance(1999)
    expect(pod('p')).toBeDefined()
    await clock.advance(1)
    expect(pod('p')).toBeUndefined()
  })

  test('finishes a pod whose containers exit', async () => {
    const { clock, bind, pod } = await setUp()
    const annotations = { 'simulator.berth.dev/run-seconds': '5' }
    await bind('job', { restartPolicy: 'Never', annotations })
    await bind('service', { restartPolicy: 'Always', annotations })
    await clock.advance(5000)
    expect(pod('job')?.status?.phase).toBe('Succeeded')
    expect(pod('service')?.status?.phase).toBe('Running')
  })

  test.for([
    { resource: 'cpu', amount: '5', message: 'cpu, requested: 5000, used: 0, capacity: 4000' },
    { resource: 'memory', amount: '64Gi', message: 'memory, requested: 68719476736, used: 0, capacity: 34359738368' },
    { resource: DONGLE, amount: '2', message: `${DONGLE}, requested: 2, used: 0, capacity: 1` },
  ])('more $resource than the node has: OutOf', async ({ resource, amount, message }) => {
    const { bind } = await setUp({ capacity: { cpu: '4', [DONGLE]: '1' } })
    const pod = await bind('p', { containers: [{ name: 'main', resources: { requests: { [resource]: amount } } }] })
    expect(pod.status).toMatchObject({
      phase: 'Failed',
      reason: `OutOf${resource}`,
      message: `Pod was rejected: Node didn't have enough resource: ${message}`,
    })
  })

  test('ignores extended resources that the node does not have', async () => {
    const { bind } = await setUp()
    expect((await bind('p', dongles(1))).status?.phase).toBe('Running')
  })

  test('rejects pods beyond the capacity of the node, and admits pods again when others leave', async () => {
    const { api, bind } = await setUp({ capacity: { pods: '1' } })
    const first = await bind('first')
    expect((await bind('second')).status?.reason).toBe('OutOfpods')
    api.put(PODS, { ...first, status: { phase: 'Succeeded' } })
    expect((await bind('third')).status?.phase).toBe('Running')
  })

  test('reports devices in the status, and follows their health', async () => {
    const { bind, clock, plug, pod } = await setUp()
    const plugin = plug(1)
    await clock.advance(1000)
    const shown = (): unknown => pod('p')?.status?.containerStatuses?.[0]?.allocatedResourcesStatus
    await bind('p', dongles(1))
    expect(shown()).toEqual([{ name: DONGLE, resources: [{ resourceID: 'd0', health: 'Healthy' }] }])
    plugin.list(0, 1)
    await settle()
    expect(shown()).toEqual([{ name: DONGLE, resources: [{ resourceID: 'd0', health: 'Unhealthy' }] }])
  })

  test('fails the pod with UnexpectedAdmissionError when the plugin returns an error', async () => {
    const { bind, plug } = await setUp()
    plug(1, () => Promise.reject(new Error('out of order')))
    expect((await bind('p', dongles(1))).status).toMatchObject({
      phase: 'Failed',
      reason: 'UnexpectedAdmissionError',
      message: 'Pod was rejected: Allocate failed due to rpc error: out of order, which is unexpected',
    })
  })

  test('fails a pod that requests more devices than are free, and runs one that replaces a deleted pod', async () => {
    const { api, bind, clock, plug } = await setUp()
    plug(1)
    await clock.advance(1000)
    const first = await bind('first', dongles(1))
    expect((await bind('second', dongles(1))).status?.reason).toBe('UnexpectedAdmissionError')
    api.put(PODS, { ...first, metadata: { ...first.metadata, deletionTimestamp: '2026-01-01T00:00:30Z' } })
    await settle()
    expect((await bind('third', dongles(1))).status?.phase).toBe('Running')
  })

  test('keeps running pods and their status through a restart', async () => {
    const { api, bind, clock, kubelet, pod } = await setUp()
    await bind('p')
    api.requests.length = 0
    await kubelet.restart()
    await clock.advance(1000)
    await kubelet.settled()
    expect(pod('p')?.status?.phase).toBe('Running')
    expect(api.requests.filter((line) => line.includes('/pods/p'))).toEqual([])
  })

  test('does nothing while stopped', async () => {
    const { bind, kubelet } = await setUp()
    await kubelet.stop()
    expect(kubelet.isRunning).toBe(false)
    expect((await bind('p')).status?.phase).toBe('Pending')
    expect(() => kubelet.devices).toThrow('simulated kubelet n1 is stopped')
  })
})
