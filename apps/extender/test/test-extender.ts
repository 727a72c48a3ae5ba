import { systemClock } from '@berth/clock'
import { fakeClock, type FakeClock, seededRandom } from '@berth/clock/testing'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type AgentOptions } from 'node:https'
import { type ClusterView, startClusterView } from '@berth/cluster-view'
import { type Cluster, connectCluster, resourceRefs } from '@berth/k8s-client'
import { type BerthPlugin, createPluginRegistry } from '@berth/plugin-api'
import { createMetrics, type Metrics } from '@berth/process/metrics'
import { type ApiServer, createApiServer } from '@berth/simulator'
import {
  type ApiHandler,
  type LogFields,
  type Logger,
  type Node,
  type Pod,
  type PodDisruptionBudget,
  type PodSpec,
  silentLogger,
} from '@berth/types'
import { buildExtenderProfile, type ExtenderPlugin } from '@berth/scheduler-config'
import { startBinder } from '../src/bind/start-binder.ts'
import { createEffectHooks } from '../src/effects/effect-hooks.ts'
import { createPreemptionReview } from '../src/preemption/review-preemption.ts'
import { createEvaluator, type Evaluator } from '../src/evaluator.ts'
import { metricDefinitions } from '../src/metrics.ts'
import { createBodyDiscarder } from '../src/serving/discard-body.ts'
import { startRetries } from '../src/retries/start-retries.ts'
import { type ServerTimes, startExtenderServer } from '../src/server.ts'
import type { RequestLimits } from '../src/serving/request-limits.ts'
import type { ServingMode } from '../src/serving-mode.ts'

/** A cluster in virtual time and an extender that serves it on loopback. */
export interface TestExtender extends AsyncDisposable {
  readonly clock: FakeClock
  readonly address: string
  readonly evaluator: Evaluator
  readonly view: ClusterView
  readonly metrics: Metrics
  readonly lines: readonly LogLine[]
  createNode(name: string, allocatable: Readonly<Record<string, string>>): Promise<void>
  /** Creates a pending pod and returns it as stored. */
  createPod(name: string, requests: Readonly<Record<string, string>>, spec?: Partial<PodSpec>): Promise<Pod>
  getPod(name: string): Promise<Pod | undefined>
  listPods(): Promise<readonly Pod[]>
  /** Advances virtual time until the promise settles. */
  drive<T>(promise: Promise<T>): Promise<T>
  /** Creates a pod that is already bound. */
  createBoundPod(
    name: string,
    nodeName: string,
    requests: Readonly<Record<string, string>>,
    options?: { readonly priorityClassName?: string; readonly labels?: Readonly<Record<string, string>> },
  ): Promise<Pod>
  /** Creates a disruption budget that allows no disruption of the pods with these labels. */
  createBudget(name: string, matchLabels: Readonly<Record<string, string>>): Promise<void>
  deletePod(name: string): Promise<void>
  /** Client of the API server. */
  readonly admin: Cluster['client']
  settle(): Promise<void>
}

export interface LogLine {
  readonly fields: LogFields
  readonly message: string
}

/** An API server and its clock. */
export interface TestApi {
  readonly clock: FakeClock
  readonly api: ApiServer
}

export interface TestExtenderOptions {
  /** Default: an API server of its own. */
  readonly on?: TestApi
  /** Serves the bind verb, with this identity in the election. */
  readonly bindAs?: string
  readonly ignoredResources?: readonly string[]
  readonly plugins?: readonly ExtenderPlugin[]
  readonly registered?: readonly BerthPlugin[]
  readonly servingMode?: ServingMode
  readonly allowedClientNames?: readonly string[]
  readonly maxConnections?: number
  /** Default: an hour. */
  readonly maxConnectionAgeMs?: number
  readonly limits?: Partial<RequestLimits>
  readonly times?: ServerTimes
  readonly refuseUnsupported?: boolean
  /** Default: 0, which never delays a response. */
  readonly secondLookMs?: number
  /** CSIStorageCapacity in kube-system that is changed to make kube-scheduler retry. */
  readonly retrySignal?: string
  readonly random?: () => number
  readonly intercept?: (handle: ApiHandler) => ApiHandler
}

export const fit: ExtenderPlugin = { name: 'NodeResourcesFit', weight: 1, args: {} }

/** Creates an API server in virtual time that several extenders can share. */
export function createTestApi(): TestApi {
  const clock = fakeClock({ turns: 20 })
  return { clock, api: createApiServer({ clock, random: seededRandom(1) }) }
}

export async function startTestExtender(options: TestExtenderOptions = {}): Promise<TestExtender> {
  const { clock, api } = options.on ?? createTestApi()
  const world = { clock, random: () => 0, log: silentLogger }
  const admin = connectCluster({ handler: api.handle, ...world, qps: 0, userAgent: 'test' })
  const handler = options.intercept?.(api.handle) ?? api.handle
  const cluster = connectCluster({ handler, ...world, qps: 0, userAgent: 'berth-extender' })
  const registry = createPluginRegistry((options.registered ?? []).map((plugin) => ({ plugin, origin: 'test' })))
  const profile = buildExtenderProfile(options.plugins ?? [fit], registry, () => world)
  const { configMaps } = profile.framework
  const view = startClusterView({ cluster, log: silentLogger, clock, maxAgeMs: 120_000, configMaps })
  const evaluator = createEvaluator({
    profile,
    view,
    refuseUnsupported: options.refuseUnsupported ?? false,
    ignoredResources: new Set(options.ignoredResources),
    now: () => clock.now(),
    random: options.random ?? (() => 0),
  })
  const metrics = createMetrics('extender', { withProcess: false })
  const lines: LogLine[] = []
  const record = (fields: LogFields, message: string): void => void lines.push({ fields, message })
  const log: Logger = { debug: record, info: record, warn: record, error: record }
  const effects = createEffectHooks(profile.effects, clock)
  const binder =
    options.bindAs === undefined
      ? undefined
      : startBinder({
          config: { bindLease: 'kube-system/berth-extender-bind', bindTimeoutMs: 1_500 },
          cluster,
          view,
          evaluator,
          hooks: effects.bind,
          identity: options.bindAs,
          ...world,
          log,
        })
  const instruments = metrics.instruments(metricDefinitions)
  const rejectedPods =
    options.retrySignal === undefined
      ? undefined
      : startRetries({
          retrySignal: `kube-system/${options.retrySignal}`,
          cluster,
          view,
          evaluator,
          metrics: instruments,
          ...world,
          log,
        })
  const server = await startExtenderServer({
    listen: '127.0.0.1:0',
    servingMode: options.servingMode ?? { kind: 'plain' },
    allowedClientNames: options.allowedClientNames ?? ['kube-scheduler'],
    maxConnections: options.maxConnections ?? 100,
    maxConnectionAgeMs: options.maxConnectionAgeMs ?? 3_600_000,
    limits: { maxRequestBytes: 16 * 1_048_576, maxNodes: 20_000, ...options.limits },
    ...(options.times !== undefined && { times: options.times }),
    evaluator,
    reviewPreemption: createPreemptionReview({
      profile,
      view,
      hooks: effects.processPreemption,
      now: () => clock.now(),
      random: () => 0,
    }),
    binder,
    secondLookMs: options.secondLookMs ?? 0,
    // Bodies arrive in real time.
    discarder: createBodyDiscarder(systemClock()),
    rejectedPods,
    metrics: instruments,
    ...world,
    log,
  })
  await clock.settle()
  return {
    clock,
    address: server.address,
    evaluator,
    view,
    metrics,
    lines,
    admin: admin.client,
    async createNode(name, allocatable) {
      const amounts = { cpu: '64', memory: '256Gi', pods: '500', ...allocatable }
      const status = { capacity: amounts, allocatable: amounts }
      await admin.client.create<Node>(resourceRefs.nodes, { metadata: { name }, spec: {}, status })
      await admin.client.patch(resourceRefs.nodes, { name }, { status }, { type: 'merge', subresource: 'status' })
    },
    createPod(name, requests, spec = {}) {
      const resources = { requests, limits: requests }
      return admin.client.create<Pod>(resourceRefs.pods, {
        metadata: { name, namespace: 'default' },
        spec: { ...spec, containers: [{ name: 'main', image: 'busybox', resources }] },
      })
    },
    getPod: (name) => admin.client.find<Pod>(resourceRefs.pods, { name, namespace: 'default' }),
    async listPods() {
      return (await admin.client.list<Pod>(resourceRefs.pods, { namespace: 'default' })).items
    },
    drive: (promise) => drive(clock, promise),
    async createBudget(name, matchLabels) {
      await admin.client.create<PodDisruptionBudget>(resourceRefs.podDisruptionBudgets, {
        metadata: { name, namespace: 'default' },
        spec: { minAvailable: 1, selector: { matchLabels } },
      })
    },
    createBoundPod(name, nodeName, requests, { priorityClassName = '', labels = {} } = {}) {
      const resources = { requests, limits: requests }
      return admin.client.create<Pod>(resourceRefs.pods, {
        metadata: { name, namespace: 'default', labels },
        spec: { nodeName, priorityClassName, containers: [{ name: 'main', image: 'busybox', resources }] },
      })
    },
    async deletePod(name) {
      await admin.client.delete(resourceRefs.pods, { name, namespace: 'default' }, { gracePeriodSeconds: 0 })
    },
    settle: () => clock.settle(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      const ending = Promise.all([
        rejectedPods?.[Symbol.asyncDispose](),
        binder?.[Symbol.asyncDispose](),
        view[Symbol.asyncDispose](),
        cluster[Symbol.asyncDispose](),
        admin[Symbol.asyncDispose](),
      ])
      await clock.advance(10_000)
      await ending
    },
  }
}

/** Advances virtual time in small steps until the promise settles. */
export async function drive<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  const state = { isSettled: false }
  const end = (): void => {
    state.isSettled = true
  }
  promise.then(end, end)
  while (!state.isSettled) await clock.advance(10)
  return promise
}

/** A response of the extender. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly json: () => unknown
}

export interface PostOptions {
  readonly method?: string
  readonly contentType?: string
  readonly tls?: AgentOptions
}

/** Sends one request over its own connection. */
export function post(address: string, path: string, body: unknown, options: PostOptions = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { method = 'POST', contentType = 'application/json', tls } = options
  const agent = tls === undefined ? new HttpAgent({ keepAlive: true }) : new HttpsAgent(tls)
  const url = `${tls === undefined ? 'http' : 'https'}://${address}${path}`
  const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }
  return new Promise((resolve, reject) => {
    const send = tls === undefined ? httpRequest : httpsRequest
    const request = send(url, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        agent.destroy()
        const received = Buffer.concat(chunks).toString('utf8')
        const json = (): unknown => JSON.parse(received)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received, json })
      })
    })
    request.on('error', reject)
    request.end(text)
  })
}
