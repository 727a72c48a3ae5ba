import { fakeClock, seededRandom } from '@berth/clock/testing'
import { connectCluster, resourceRefs, type EventInput } from '@berth/k8s-client'
import { createMetrics } from '@berth/process/metrics'
import { createApiServer } from '@berth/simulator'
import { silentLogger, type ApiHandler, type ApiRequest, type ApiResponse, type Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { evictionMetricDefinitions } from '../src/metrics.ts'
import { createDeviceOutages } from '../src/evict/device-outages.ts'
import { createEvictionReporter } from '../src/evict/eviction-reporter.ts'
import { evictPods } from '../src/evict/evict-pods.ts'
import { createHealthReports } from '../src/evict/health-reports.ts'
import { trimPod } from '../src/evict/trim-pod.ts'
import { createUnhealthyPods } from '../src/evict/unhealthy-pods.ts'
import { jsonAnswer, refused } from './api-answers.ts'

const DONGLE = 'example.com/dongle'
const LIMIT_MS = 300_000
const INTERVAL_MS = 10_000
const NAMESPACE = 'lab'
const budgets = resourceRefs.podDisruptionBudgets

/** An embedded API server, and the eviction on it in virtual time. */
async function setUp(options: { readonly dryRun?: boolean } = {}) {
  const clock = fakeClock()
  const random = (): number => 0.5
  const server = createApiServer({ clock, random: seededRandom(1) })
  const evictions: string[] = []
  let intercept: (request: ApiRequest) => ApiResponse | undefined = () => undefined
  const handler: ApiHandler = async (request) => {
    const [, name] = /\/pods\/([^/]+)\/eviction$/.exec(request.path) ?? []
    if (name !== undefined) {
      const isDryRun = String(request.body).includes('dryRun')
      evictions.push(`${isDryRun ? 'try' : 'evict'} ${name} ${clock.monotonic()}`)
    }
    return intercept(request) ?? server.handle(request)
  }
  const cluster = connectCluster({ handler, log: silentLogger, clock, random, qps: 0, userAgent: 'berth-eviction' })
  const direct = connectCluster({ handler: server.handle, log: silentLogger, clock, random, qps: 0, userAgent: 'test' })
  const admin = direct.client
  await admin.create(resourceRefs.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
  const registry = createMetrics('advertiser', { withProcess: false })
  const metrics = registry.instruments(evictionMetricDefinitions)
  const events: EventInput[] = []
  const errors: string[] = []
  const resources = new Set([DONGLE])
  const reports = createHealthReports({ resources, gitVersion: 'v1.36.3' })
  let isLeader = true
  let isWatchAlive = true
  const mayWrite = (): boolean => isLeader
  const pods = cluster.reflect<Pod>(resourceRefs.pods, { project: trimPod })
  let stop = new AbortController()
  let running = Promise.resolve()

  const start = (): void => {
    stop = new AbortController()
    const log = { ...silentLogger, error: (fields: object) => void errors.push(JSON.stringify(fields)) }
    running = evictPods(
      {
        client: cluster.client,
        pods: { ...pods, lastEventAgeMs: () => (isWatchAlive ? pods.lastEventAgeMs() : Infinity) },
        unhealthy: createUnhealthyPods({ resources, limitMs: LIMIT_MS }),
        reports,
        outages: createDeviceOutages({ resources, maxUnhealthyPercent: 50 }),
        intervalMs: INTERVAL_MS,
        dryRun: options.dryRun ?? false,
        mayWrite,
        report: createEvictionReporter({ log, metrics, recordEvent: (event) => void events.push(event), mayWrite }),
        metrics,
        clock,
        random,
        log,
      },
      stop.signal,
    )
  }
  const end = async (): Promise<void> => {
    stop.abort()
    await running
  }
  await clock.settle()
  await pods.waitForSync()
  start()
  await clock.settle()

  const target = (name: string) => ({ namespace: NAMESPACE, name })
  const setHealth = async (name: string, health: string | undefined): Promise<void> => {
    const allocatedResourcesStatus = [{ name: DONGLE, resources: [{ resourceID: `${name}-device`, health }] }]
    const status = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        {
          name: 'main',
          image: 'i',
          imageID: 'i',
          ready: true,
          restartCount: 0,
          ...(health !== undefined && { allocatedResourcesStatus }),
        },
      ],
    }
    await admin.patch(resourceRefs.pods, target(name), { status }, { type: 'merge', subresource: 'status' })
    await clock.settle()
  }
  return {
    clock,
    admin,
    evictions,
    events,
    errors,
    reports,
    setHealth,
    intercept: (next: typeof intercept) => void (intercept = next),
    /** Makes the watch look silent, or alive again. */
    setWatchAlive: (isAlive: boolean) => void (isWatchAlive = isAlive),
    loseLease: () => void (isLeader = false),
    /** Ends the eviction and starts it again, without what the earlier one knew. */
    async restart() {
      await end()
      start()
      await clock.settle()
    },
    async addPod(name: string, ownerKind = 'ReplicaSet', health = 'Unhealthy', nodeName = 'node-1'): Promise<void> {
      const limits = { [DONGLE]: '1' }
      const ownerReferences = [
        { apiVersion: 'apps/v1', kind: ownerKind, name: 'web', uid: 'web-uid', controller: true },
      ]
      const pod: Pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          ...target(name),
          labels: { app: 'web' },
          ...(ownerKind !== 'none' && { ownerReferences }),
        },
        spec: {
          nodeName,
          terminationGracePeriodSeconds: 30,
          containers: [{ name: 'main', image: 'i', resources: { limits, requests: limits } }],
        },
      }
      await admin.create(resourceRefs.pods, pod)
      await setHealth(name, health === 'none' ? undefined : health)
    },
    async isTerminating(name: string): Promise<boolean> {
      const pod = await admin.find<Pod>(resourceRefs.pods, target(name))
      return pod?.metadata.deletionTimestamp !== undefined
    },
    /** Creates a budget that allows as many disruptions. */
    async addBudget(disruptionsAllowed: number): Promise<void> {
      const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } }
      const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: target('budget'), spec }
      await admin.create(budgets, budget)
      await this.allow(disruptionsAllowed)
    },
    async allow(disruptionsAllowed: number): Promise<void> {
      const status = { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }
      await admin.patch(budgets, target('budget'), { status }, { type: 'merge', subresource: 'status' })
    },
    async metric(name: string): Promise<string | undefined> {
      const text = await registry.registry.metrics()
      return text.split('\n').find((line) => line.startsWith(name))
    },
    async [Symbol.asyncDispose]() {
      await end()
      await cluster[Symbol.asyncDispose]()
      await direct[Symbol.asyncDispose]()
    },
  }
}

describe('evictPods', () => {
  test('evicts a pod after the limit, first in dry run, with an event and a metric', async () => {
    await using cluster = await setUp()
    await cluster.addPod('p')
    const startMs = cluster.clock.monotonic()
    await cluster.clock.advance(LIMIT_MS - 1)
    expect(cluster.evictions).toEqual([])
    expect(await cluster.metric('berth_advertiser_unhealthy_device_pods')).toMatch(/ 1$/)
    await cluster.clock.advance(1)
    expect(cluster.evictions).toEqual([`try p ${startMs + LIMIT_MS}`, `evict p ${startMs + LIMIT_MS}`])
    expect(await cluster.isTerminating('p')).toBe(true)
    expect(cluster.events).toMatchObject([
      {
        regarding: { kind: 'Pod', namespace: NAMESPACE, name: 'p' },
        reason: 'EvictedFromUnhealthyDevice',
        note: `device p-device of ${DONGLE} on node node-1 has been Unhealthy for at least 300 s: the pod is evicted, so that its controller starts it elsewhere`,
      },
    ])
    const labels = `{resource_name="${DONGLE}",result="evicted"}`
    expect(await cluster.metric('berth_advertiser_evictions_total')).toBe(`berth_advertiser_evictions_total${labels} 1`)
    await cluster.clock.advance(2 * LIMIT_MS)
    expect(cluster.evictions).toHaveLength(2)
    expect(await cluster.metric('berth_advertiser_unhealthy_device_pods')).toMatch(/ 0$/)
  })

  test('waits while a PodDisruptionBudget forbids it, evicts no sooner than the server says, and does not stop the others', async () => {
    await using cluster = await setUp()
    await cluster.addBudget(0)
    await cluster.addPod('p')
    await cluster.clock.advance(LIMIT_MS)
    expect(cluster.evictions.map((each) => each.split(' ')[0])).toEqual(['try'])
    expect(cluster.events).toMatchObject([{ reason: 'EvictionBlocked', note: expect.stringContaining('budget') }])
    await cluster.clock.advance(60_000)
    const tries = cluster.evictions.length
    // After 10, 20 and 40 s, and no more often.
    expect(tries).toBeGreaterThanOrEqual(3)
    expect(tries).toBeLessThanOrEqual(4)
    expect(cluster.evictions.every((each) => each.startsWith('try'))).toBe(true)
    await cluster.allow(1)
    await cluster.clock.advance(LIMIT_MS)
    expect(await cluster.isTerminating('p')).toBe(true)

    cluster.intercept(({ path }) =>
      path.endsWith('/q/eviction')
        ? {
            ...refused(429, 'TooManyRequests', 'try again later'),
            headers: { 'content-type': 'application/json', 'retry-after': '200' },
          }
        : undefined,
    )
    await cluster.allow(1)
    await cluster.addPod('q')
    await cluster.addPod('r')
    cluster.evictions.length = 0
    await cluster.clock.advance(LIMIT_MS + 199_000)
    expect(await cluster.isTerminating('r')).toBe(true)
    expect(cluster.evictions.filter((each) => each.includes(' q '))).toHaveLength(1)
    // A server that throttles is not a budget.
    expect(cluster.events.filter(({ regarding }) => regarding.name === 'q')).toMatchObject([
      { reason: 'EvictionFailed', note: expect.stringContaining('try again later (429)); next attempt in 200 s') },
    ])
  })

  test('evicts at most one pod in each interval', async () => {
    await using cluster = await setUp()
    for (const name of ['p', 'q', 'r']) await cluster.addPod(name)
    await cluster.clock.advance(LIMIT_MS + 3 * INTERVAL_MS)
    const times = cluster.evictions.filter((each) => each.startsWith('evict')).map((each) => Number(each.split(' ')[2]))
    expect(times.map((timeMs) => timeMs - (times[0] ?? 0))).toEqual([0, INTERVAL_MS, 2 * INTERVAL_MS])
  })

  test('evicts no pod while the devices of most nodes fail at once, as after a bug of a device plugin', async () => {
    await using cluster = await setUp()
    const pods = ['p', 'q', 'r', 's']
    for (const [index, name] of pods.entries()) {
      await cluster.addPod(name, 'ReplicaSet', name === 's' ? 'Healthy' : 'Unhealthy', `node-${index}`)
    }
    await cluster.clock.advance(3 * LIMIT_MS)
    expect(cluster.evictions).toEqual([])
    expect(cluster.events.at(-1)).toMatchObject({
      reason: 'EvictionBlocked',
      note: expect.stringContaining(`3 of the 4 nodes whose pods hold ${DONGLE} have an Unhealthy device`),
    })
    await cluster.setHealth('p', 'Healthy')
    await cluster.clock.advance(2 * LIMIT_MS)
    expect(await Promise.all(pods.map((name) => cluster.isTerminating(name)))).toEqual([false, true, true, false])
  })

  test('begins the time again after a restart, and after the device was healthy in between', async () => {
    await using cluster = await setUp()
    await cluster.addPod('p')
    await cluster.clock.advance(LIMIT_MS - 1_000)
    await cluster.restart()
    await cluster.clock.advance(LIMIT_MS - 1_000)
    await cluster.setHealth('p', 'Healthy')
    await cluster.setHealth('p', 'Unhealthy')
    await cluster.clock.advance(LIMIT_MS - 1_000)
    await cluster.setHealth('p', 'Unknown')
    await cluster.setHealth('p', 'Unhealthy')
    await cluster.clock.advance(LIMIT_MS - 1)
    expect(cluster.evictions).toEqual([])
    await cluster.clock.advance(1)
    expect(await cluster.isTerminating('p')).toBe(true)
  })

  test('keeps a pod whose device has recovered, although the watch does not say so yet', async () => {
    await using cluster = await setUp()
    await cluster.addPod('p')
    await cluster.clock.advance(LIMIT_MS - 1)
    // The server answers with the new state before the watch delivers it.
    const found = await cluster.admin.get<Pod>(resourceRefs.pods, { namespace: NAMESPACE, name: 'p' })
    const healthy = JSON.parse(JSON.stringify(found).replaceAll('"Unhealthy"', '"Healthy"')) as Pod
    let reads = 0
    cluster.intercept(({ path, method }) => {
      if (method !== 'GET' || !path.endsWith('/pods/p')) return undefined
      reads++
      return jsonAnswer(200, healthy)
    })
    await cluster.clock.advance(1)
    expect([reads, cluster.evictions]).toEqual([1, []])
  })

  test('counts only the time in which the watch was alive', async () => {
    await using cluster = await setUp()
    await cluster.addPod('p')
    await cluster.clock.advance(LIMIT_MS - 60_000)
    cluster.setWatchAlive(false)
    await cluster.clock.advance(2 * LIMIT_MS)
    cluster.setWatchAlive(true)
    await cluster.clock.advance(LIMIT_MS - 60_000)
    expect(cluster.evictions).toEqual([])
    await cluster.clock.advance(60_000)
    expect(await cluster.isTerminating('p')).toBe(true)
  })

  test.for([{ status: 500 }, { status: 409 }, { status: 403 }])(
    'retries with growing delays after $status, and reports it',
    async ({ status }) => {
      await using cluster = await setUp()
      await cluster.addPod('p')
      cluster.intercept(({ path }) => (path.endsWith('/eviction') ? refused(status, 'broken') : undefined))
      await cluster.clock.advance(LIMIT_MS)
      expect(cluster.events).toMatchObject([{ reason: 'EvictionFailed', note: expect.stringContaining('broken') }])
      cluster.intercept(() => undefined)
      await cluster.clock.advance(9_000)
      expect(await cluster.isTerminating('p')).toBe(false)
      await cluster.clock.advance(5_000)
      expect(await cluster.isTerminating('p')).toBe(true)
    },
  )

  test('forgets a pod that is gone (404), and a pod that another one with its name has replaced', async () => {
    await using cluster = await setUp()
    await cluster.addPod('p')
    cluster.intercept(({ path }) => (path.endsWith('/pods/p') ? refused(404, 'NotFound') : undefined))
    await cluster.clock.advance(LIMIT_MS * 3)
    expect([cluster.evictions, cluster.events]).toEqual([[], []])
    cluster.intercept(() => undefined)
    await cluster.admin.delete(resourceRefs.pods, { namespace: NAMESPACE, name: 'p' }, { gracePeriodSeconds: 0 })
    await cluster.addPod('p')
    await cluster.clock.advance(LIMIT_MS - 1)
    expect(cluster.evictions).toEqual([])
    await cluster.clock.advance(1)
    expect(await cluster.isTerminating('p')).toBe(true)
  })

  test('writes nothing after it has lost the Lease', async () => {
    await using cluster = await setUp()
    await cluster.addPod('p')
    cluster.loseLease()
    await cluster.clock.advance(LIMIT_MS * 2)
    expect(cluster.evictions).toEqual([])
    expect(await cluster.isTerminating('p')).toBe(false)
  })

  test('never evicts bare pods and pods of a DaemonSet, and reports them once', async () => {
    await using cluster = await setUp()
    await cluster.addPod('bare', 'none')
    await cluster.addPod('agent', 'DaemonSet')
    await cluster.clock.advance(LIMIT_MS * 3)
    expect(cluster.evictions).toEqual([])
    expect(cluster.events.map(({ reason, regarding }) => `${reason} ${regarding.name}`)).toEqual([
      'UnhealthyDevice bare',
      'UnhealthyDevice agent',
    ])
  })

  test('in dry run, reports each pod once, and whether a budget forbids its eviction', async () => {
    await using cluster = await setUp({ dryRun: true })
    await cluster.addPod('p')
    await cluster.clock.advance(LIMIT_MS * 3)
    expect(cluster.evictions.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual(['try p'])
    expect(cluster.events).toMatchObject([{ type: 'Normal', reason: 'WouldEvictFromUnhealthyDevice' }])
    await cluster.addBudget(0)
    await cluster.addPod('q')
    await cluster.clock.advance(LIMIT_MS)
    expect(cluster.events.at(-1)).toMatchObject({ reason: 'EvictionBlocked', regarding: { name: 'q' } })
    expect([await cluster.isTerminating('p'), await cluster.isTerminating('q')]).toEqual([false, false])
  })

  test('names the feature gate when no status reports the health of devices', async () => {
    await using cluster = await setUp()
    await cluster.addPod('p', 'ReplicaSet', 'none')
    await cluster.clock.advance(59_000)
    expect(cluster.errors).toEqual([])
    await cluster.clock.advance(31_000)
    expect(cluster.errors).toEqual([expect.stringContaining('enable the feature gate ResourceHealthStatus')])
    expect(await cluster.metric('berth_advertiser_unreported_device_pods')).toMatch(/ 1$/)
    await cluster.setHealth('p', 'Healthy')
    await cluster.clock.advance(30_000)
    expect(await cluster.metric('berth_advertiser_unreported_device_pods')).toMatch(/ 0$/)
  })
})
