import { fakeClock, type FakeClock, seededRandom } from '@berth/clock/testing'
import { type ClusterView, mirrorPodGroups, startClusterView } from '@berth/cluster-view'
import { connectCluster, type Cluster, resourceRefs } from '@berth/k8s-client'
import { createPluginRegistry, type BerthPlugin } from '@berth/plugin-api'
import { createMetrics } from '@berth/process/metrics'
import { createApiServer, type ApiServer } from '@berth/simulator'
import type { ApiHandler, Event, Logger, Node, Pod } from '@berth/types'
import { silentLogger } from '@berth/types'
import { buildProfiles, configMapsOf } from '@berth/scheduler-config'
import { createExtenderClient } from '../src/extenders/extender-client.ts'
import { createEventMetrics } from '../src/metrics/attempt-metrics.ts'
import { metricDefinitions, type SchedulerMetrics } from '../src/metrics/metric-definitions.ts'
import { reportUnreadablePods } from '../src/report/unreadable-pods.ts'
import type { LeaseSettings } from '../src/config/settings.ts'
import { joinElection } from '../src/leader-election.ts'
import { createScheduler, type Scheduler } from '../src/scheduler.ts'
import { loadSettings } from '../src/config/settings.ts'

/** An embedded cluster in virtual time with a scheduler. */
export interface TestCluster extends AsyncDisposable {
  readonly clock: FakeClock
  readonly api: ApiServer
  /** The client of the test. */
  readonly admin: Cluster
  readonly scheduler: Scheduler
  readonly view: ClusterView
  readonly metrics: SchedulerMetrics
  createNode(name: string, allocatable: Readonly<Record<string, string>>, metadata?: Node['metadata']): Promise<void>
  createPriorityClass(name: string, value: number, preemptionPolicy?: 'Never'): Promise<void>
  createPod(name: string, options?: PodOptions): Promise<Pod>
  pod(name: string): Promise<Pod>
  deletePod(name: string): Promise<void>
  /** Reasons and notes of the events about a pod, oldest first. */
  events(name: string): Promise<readonly string[]>
  /** Reporting controllers of the same events. */
  reporters(name: string): Promise<readonly string[]>
  /** Lets the scheduler work without advancing time. */
  settle(): Promise<void>
  /** Stops scheduling, as SIGTERM does. */
  stop(): Promise<void>
}

export interface PodOptions {
  readonly requests?: Readonly<Record<string, string>>
  readonly schedulerName?: string
  readonly priorityClassName?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: Partial<Pod['spec']>
}

export interface TestClusterOptions {
  /** Text of a KubeSchedulerConfiguration. */
  readonly config?: string
  readonly plugins?: readonly BerthPlugin[]
  readonly random?: () => number
  /** Log of the scheduler. Default: none. */
  readonly log?: Logger
  /** Wraps the API server's handler for the scheduler. */
  readonly intercept?: (handle: ApiHandler) => ApiHandler
  /** Uses the API server of another test cluster instead of starting one. */
  readonly joins?: Pick<TestCluster, 'api' | 'clock'>
  readonly maxViewAgeMs?: number
  /** Rate limit of the scheduler's client; the burst is twice as high. Default: none. */
  readonly qps?: number
  /** Scheduling starts when this resolves, as after an election. Default: at once. */
  readonly startAfter?: Promise<void>
  /** Returns whether this scheduler is the leader. Default: always true. */
  readonly mayWrite?: () => boolean
  /** Aborts when this scheduler is no longer the leader. */
  readonly lost?: AbortSignal
  /** Schedules while it holds this Lease. Default: always. */
  readonly lease?: LeaseSettings
}

/** Allocatable of every node, unless a test sets other amounts: room for many pods. */
const roomy = { cpu: '64', memory: '256Gi', pods: '500' }

export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const clock = options.joins?.clock ?? fakeClock({ turns: 40 })
  const random = options.random ?? (() => 0)
  const api = options.joins?.api ?? createApiServer({ clock, random: seededRandom(1) })
  const world = { clock, random: () => 0.5, log: silentLogger }
  const admin = connectCluster({ handler: api.handle, ...world, qps: 0, userAgent: 'test' })
  const handler = options.intercept?.(api.handle) ?? api.handle
  const { qps = 0 } = options
  const metrics = createMetrics('scheduler', { withProcess: false }).instruments(metricDefinitions)
  const cluster = connectCluster({
    handler,
    ...world,
    qps,
    burst: 2 * qps,
    userAgent: 'berth-scheduler',
    observeEvents: createEventMetrics(metrics),
  })
  const settings = loadSettings({
    argv: options.config === undefined ? [] : ['--config', 'scheduler.yaml'],
    env: {},
    readFile: () => options.config ?? '',
  })
  if (settings.kind === 'exit') throw new Error(settings.text)
  const registry = createPluginRegistry((options.plugins ?? []).map((plugin) => ({ plugin, origin: 'test' })))
  const profiles = buildProfiles(settings, registry, () => world)
  const maxViewAgeMs = options.maxViewAgeMs ?? 120_000
  const onUnreadablePod = reportUnreadablePods({
    events: cluster.events,
    count: () => metrics.unreadablePods.inc(),
    schedulerNames: profiles.map(({ schedulerName }) => schedulerName),
    log: silentLogger,
  })
  const view = startClusterView({
    cluster,
    log: silentLogger,
    clock,
    maxAgeMs: maxViewAgeMs,
    configMaps: configMapsOf(profiles),
    onUnreadablePod,
  })
  const podGroups = mirrorPodGroups({
    cluster,
    ...world,
    onUnreadable: () => metrics.unreadablePodGroups.inc(),
  })
  const scheduler = createScheduler({
    cluster,
    view,
    podGroups,
    profiles,
    extenders: settings.extenders.map((entry) => createExtenderClient(entry, silentLogger)),
    metrics,
    backoff: settings.backoff,
    clock,
    random,
    log: options.log ?? silentLogger,
  })
  const terms = options.lease && (await joinElection(options.lease, { client: cluster.client, ...world }))
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    await options.startAfter
    if (terms !== undefined) {
      await terms.run(stopping.signal, (signal, term) => scheduler.run(signal, term))
      return
    }
    const { mayWrite = () => true, lost = new AbortController().signal } = options
    await scheduler.run(stopping.signal, { mayWrite, lost })
  }
  const running = run().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
  })
  await clock.settle()

  const eventsAbout = async (name: string): Promise<readonly Event[]> => {
    const { items } = await admin.client.list<Event>(resourceRefs.events, { namespace: 'default' })
    return items
      .filter((event) => event.regarding.name === name)
      .toSorted((a, b) => (a.eventTime < b.eventTime ? -1 : 1))
  }
  const stop = async (): Promise<void> => {
    stopping.abort()
    await running
  }
  return {
    clock,
    api,
    admin,
    scheduler,
    view,
    metrics,
    async createNode(name, allocatable, metadata = {}) {
      const amounts = { ...roomy, ...allocatable }
      const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] }
      await admin.client.create<Node>(resourceRefs.nodes, { metadata: { ...metadata, name }, spec: {}, status })
      await admin.client.patch(resourceRefs.nodes, { name }, { status }, { type: 'merge', subresource: 'status' })
    },
    async createPriorityClass(name, value, preemptionPolicy) {
      const priorityClasses = {
        group: 'scheduling.k8s.io',
        version: 'v1',
        plural: 'priorityclasses',
        kind: 'PriorityClass',
        namespaced: false,
      }
      const object = { metadata: { name }, value, ...(preemptionPolicy && { preemptionPolicy }) }
      await admin.client.create(priorityClasses, object)
    },
    createPod: (name, podOptions = {}) => admin.client.create<Pod>(resourceRefs.pods, podObject(name, podOptions)),
    pod: (name) => admin.client.get<Pod>(resourceRefs.pods, { namespace: 'default', name }),
    async deletePod(name) {
      await admin.client.delete(resourceRefs.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
    },
    events: async (name) => (await eventsAbout(name)).map(({ reason, note }) => `${reason}: ${note ?? ''}`),
    reporters: async (name) => (await eventsAbout(name)).map(({ reportingController }) => reportingController),
    settle: () => clock.settle(),
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      const ending = (async () => {
        await scheduler[Symbol.asyncDispose]()
        await terms?.[Symbol.asyncDispose]()
        await podGroups[Symbol.asyncDispose]()
        await view[Symbol.asyncDispose]()
        await cluster[Symbol.asyncDispose]()
        await admin[Symbol.asyncDispose]()
      })()
      // Advances time for what waits during shutdown, such as the last events.
      await clock.advance(10_000)
      await ending
    },
  }
}

function podObject(
  name: string,
  { requests = {}, schedulerName, priorityClassName, annotations, spec }: PodOptions,
): Pod {
  return {
    metadata: { name, namespace: 'default', ...(annotations !== undefined && { annotations }) },
    spec: {
      schedulerName: schedulerName ?? 'berth-scheduler',
      ...(priorityClassName !== undefined && { priorityClassName }),
      ...spec,
      containers: [{ name: 'main', image: 'busybox', resources: { requests, limits: requests } }],
    },
  }
}
