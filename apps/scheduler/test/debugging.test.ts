import { resourceRefs } from '@berth/k8s-client'
import type { ApiHandler } from '@berth/types'
import { type BerthPlugin, createPluginRegistry } from '@berth/plugin-api'
import { buildProfiles } from '@berth/scheduler-config'
import { silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { effectiveConfiguration, loadSettings } from '../src/config/settings.ts'
import { createDebugPages } from '../src/serving/debug-pages.ts'
import { startTestCluster, type TestCluster } from './test-cluster.ts'

async function read({ scheduler, view, clock }: TestCluster, path: string, query = ''): Promise<unknown> {
  const config = `
extenders: [{ urlPrefix: "https://user:secret@a", tlsConfig: { keyData: c2VjcmV0 } }]
profiles:
  - schedulerName: berth-scheduler
    pluginConfig:
      - { name: NodeResourcesFit, args: { ignoredResources: [example.com/dongle] } }
      - { name: contributed, args: { token: secret, nested: { password: secret } } }
`
  const settings = loadSettings({ argv: ['--config', 'f'], env: {}, readFile: () => config })
  if (settings.kind === 'exit') throw new Error(settings.text)
  const random = () => 0
  const env = () => ({ log: silentLogger, clock, random })
  const withoutArgs = settings.profiles.map((profile) => ({ ...profile, pluginConfig: [] }))
  const profiles = buildProfiles({ ...settings, profiles: withoutArgs }, createPluginRegistry([]), env)
  const configuration = effectiveConfiguration(settings)
  const pages = createDebugPages({ configuration, scheduler, view, profiles, clock, random })
  const text = await pages.get(path)?.text(new URLSearchParams(query))
  return text === undefined ? undefined : JSON.parse(text)
}

test('/debug/queue lists the pods of every queue and who rejected them', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', { cpu: '1' })
  await cluster.createPod('big', { requests: { cpu: '2' } })
  await cluster.createPod('gated', { spec: { schedulingGates: [{ name: 'wait' }] } })
  await cluster.settle()
  expect(await read(cluster, '/debug/queue')).toMatchObject({
    counts: { unschedulable: 1, gated: 1 },
    omitted: { active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 },
    active: [],
    backoff: [],
    unschedulable: [{ pod: 'default/big', attempts: 1, rejectedBy: ['NodeResourcesFit'] }],
    gated: [{ pod: 'default/gated', attempts: 0, rejectedBy: ['SchedulingGates'] }],
    inFlight: [],
  })
})

test('/debug/queue lists pods in backoff and in flight, and omits pods of one queue only where it has over 500', async () => {
  const intercept =
    (api: ApiHandler): ApiHandler =>
    (request) =>
      request.path.includes('/pods/stuck/binding') ? new Promise(() => {}) : api(request)
  await using cluster = await startTestCluster({ intercept })
  await cluster.createNode('node-a', { cpu: '1' })
  // Six demands, because freed room wakes at most 100 pods of one demand before their backoff ends.
  for (let i = 0; i < 501; i++) await cluster.createPod(`big-${i}`, { requests: { cpu: '2', memory: `${i % 6}Mi` } })
  await cluster.createPod('stuck')
  await cluster.settle()
  expect(await read(cluster, '/debug/queue')).toMatchObject({
    omitted: { unschedulable: 1, inFlight: 0 },
    inFlight: [{ pod: 'default/stuck', attempts: 1, assumedNode: 'node-a' }],
  })
  // A change of the node leaves room for all rejected pods, which wait for their backoff before they are tried again.
  const allocatable = { cpu: '2000', memory: '8Gi', pods: '2000' }
  await cluster.admin.client.patch(
    resourceRefs.nodes,
    { name: 'node-a' },
    { status: { allocatable, capacity: allocatable } },
    { type: 'merge', subresource: 'status' },
  )
  await cluster.settle()
  const page = (await read(cluster, '/debug/queue')) as { readonly backoff: readonly object[] }
  expect(page.backoff).toHaveLength(500)
  expect(await read(cluster, '/debug/explain', 'pod=default/stuck')).toMatchObject({
    queued: { queue: 'inFlight', assumedNode: 'node-a' },
  })
})

test('/debug/queue lists the pods that permit plugins delay', async () => {
  const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler, plugins: { permit: { enabled: [{ name: gang }] } } }]
`
  const gang: BerthPlugin = {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name: 'gang',
    description: 'Delays every pod.',
    argsSchema: z.strictObject({}),
    create: () => ({ permit: () => ({ kind: 'wait', timeoutMs: 60_000 }) }),
  }
  await using cluster = await startTestCluster({ config, plugins: [gang] })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await cluster.settle()
  expect(await read(cluster, '/debug/queue')).toMatchObject({
    waiting: [{ pod: 'default/web', node: 'node-a', waitingFor: ['gang'] }],
    omittedWaiting: 0,
  })
})

test('counts evaluations of plugins, running binds and handled events as kube-scheduler does', async () => {
  let isHanging = true
  const intercept =
    (api: ApiHandler): ApiHandler =>
    (request) =>
      isHanging && request.path.endsWith('/binding') ? new Promise(() => {}) : api(request)
  await using cluster = await startTestCluster({ intercept })
  const { metrics } = cluster
  for (const name of ['node-a', 'node-b']) await cluster.createNode(name, {})
  await cluster.createPod('web')
  await cluster.settle()
  isHanging = false
  const values = async (metric: { get(): Promise<{ readonly values: readonly object[] }> }) =>
    (await metric.get()).values
  const evaluated = (extension_point: string, value: number) =>
    expect.objectContaining({
      labels: { plugin: 'NodeResourcesFit', extension_point, profile: 'berth-scheduler' },
      value,
    }) as object
  expect(await values(metrics.kubePluginEvaluations)).toEqual([])
  for (let scrapes = 0; scrapes < 2; scrapes++) {
    cluster.scheduler.flushMetrics()
    const evaluations = await values(metrics.kubePluginEvaluations)
    expect(evaluations).toContainEqual(evaluated('Filter', 2))
    expect(evaluations).toContainEqual(evaluated('Score', 2))
  }
  expect(await values(metrics.kubeGoroutines)).toMatchObject([{ labels: { operation: 'binding' }, value: 1 }])
  expect(await values(metrics.kubeEventHandling)).toContainEqual(
    expect.objectContaining({
      metricName: 'scheduler_event_handling_duration_seconds_count',
      labels: { event: 'UnschedulablePodAdd' },
      value: 1,
    }),
  )
})

test('/debug/explain shows what the scheduler would decide now', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', { cpu: '1' })
  await cluster.createPod('big', { requests: { cpu: '2' } })
  await cluster.createPod('small', { requests: { cpu: '100m' } })
  await cluster.settle()
  expect(await read(cluster, '/debug/explain', 'pod=default/big')).toMatchObject({
    pod: 'default/big',
    profile: 'berth-scheduler',
    queued: { queue: 'unschedulable' },
    unsupported: [],
    message: '0/1 nodes are available: 1 Insufficient cpu.',
    feasibleNodes: [],
    rejectedNodes: [{ node: 'node-a', plugin: 'NodeResourcesFit', reasons: ['Insufficient cpu'] }],
  })
  expect(await read(cluster, '/debug/explain', 'pod=default/small')).toMatchObject({ nodeName: 'node-a' })
  expect(await read(cluster, '/debug/explain', 'pod=default/none')).toBeUndefined()
  expect(await read(cluster, '/debug/explain')).toBeUndefined()
})

test('/configz shows the configuration without credentials of extenders and arguments of contributed plugins', async () => {
  await using cluster = await startTestCluster()
  expect(await read(cluster, '/configz')).toMatchObject({
    componentconfig: {
      kind: 'KubeSchedulerConfiguration',
      extenders: [{ urlPrefix: 'https://…@a', tlsConfig: { keyData: '(redacted)' } }],
      profiles: [
        {
          pluginConfig: [
            { name: 'NodeResourcesFit', args: { ignoredResources: ['example.com/dongle'] } },
            { name: 'contributed', args: { token: '(redacted)', nested: '(redacted)' } },
          ],
        },
      ],
    },
  })
})

test('a pod that cannot be read gets an event and is counted, and the others are scheduled', async () => {
  // Replaces a quantity by one that no API server accepts, as a webhook or another version might.
  const intercept =
    (api: ApiHandler): ApiHandler =>
    async (request) => {
      const response = await api(request)
      if (!request.path.startsWith('/api/v1/pods')) return response
      const decoder = new TextDecoder()
      const encoder = new TextEncoder()
      async function* corrupt(): AsyncGenerator<Uint8Array> {
        for await (const chunk of response.body) {
          yield encoder.encode(decoder.decode(chunk, { stream: true }).replaceAll('"777m"', '"7x7"'))
        }
      }
      return { ...response, body: corrupt() }
    }
  await using cluster = await startTestCluster({ intercept })
  await cluster.createNode('node-a', { cpu: '1' })
  await cluster.createPod('broken', { requests: { cpu: '777m' } })
  await cluster.createPod('fine', { requests: { cpu: '100m' } })
  await cluster.settle()
  expect((await cluster.pod('fine')).spec.nodeName).toBe('node-a')
  expect(await cluster.events('broken')).toEqual([
    expect.stringMatching(
      /^FailedScheduling: the pod cannot be read: .*7x7.*; delete it and create it with valid values$/,
    ),
  ])
  expect(await cluster.metrics.unreadablePods.get()).toMatchObject({ values: [{ value: 1 }] })
})
