import { startVirtualAdvertiser } from '@berth/advertiser/testing'
import { createTestClock, seededRandom, type TestClock } from '@berth/clock/testing'
import { startVirtualExtender, type VirtualExtender } from '@berth/extender/testing'
import { createJudge, type Judge } from '@berth/invariant-judge'
import { startVirtualScheduler, type SendToExtender } from '@berth/scheduler/testing'
import {
  createFaultInjector,
  createServerProcess,
  type FaultInjector,
  type ServerProcess,
} from '@berth/simulator/testing'
import { extendedResourceDefinition } from '@berth/testing'
import { silentLogger, type ApiHandler, type ApiRequest, type ApiResponse, type Random } from '@berth/types'
import { createHash } from 'node:crypto'
import { createAuditedServer } from './audited-server.ts'
import { createClusterApi, type ClusterApi } from './cluster-api.ts'
import { createMachine, DEVICE, type Machine } from './machine.ts'
import { pickOne } from './pick.ts'
import { createSettling } from './settling.ts'
import { createSupervisedApp, type AppEnvironment, type SupervisedApp } from './supervised-app.ts'

/** The resource that only the extender counts and binds. */
export const LICENCE = 'example.com/licence'
/** Resources that the scheduler counts. */
export const DONGLE = 'example.com/dongle'
export const SEAT = 'example.com/seat'
/** Decisions are made on a view that is at most 120 s old, and a bind reaches the API server within seconds. */
const STALE_MS = 130_000
const RETRY_SIGNAL = 'berth-extender'
const LATENCIES_MS = [0, 20, 100, 500] as const
const STEP_MS = 1_000
const START_MS = 15_000

/** Handles some requests of apps in place of the API server. */
export interface Interceptor {
  matches(request: ApiRequest): boolean
  handle(request: ApiRequest, next: ApiHandler): Promise<ApiResponse>
}

/** All apps on an embedded cluster in virtual time. */
export interface World {
  readonly clock: TestClock
  /** The random numbers of the run itself. */
  readonly random: Random
  readonly api: ClusterApi
  readonly judge: Judge
  /** Faults between apps and the API server. */
  readonly injector: FaultInjector
  readonly serverProcess: ServerProcess
  readonly schedulers: readonly SupervisedApp<unknown>[]
  readonly extender: SupervisedApp<VirtualExtender>
  readonly advertiser: SupervisedApp<unknown>
  readonly machines: readonly Machine[]
  /** Handle the requests that they match in place of the API server. */
  readonly interceptors: Set<Interceptor>
  /** The first of these functions answers a call to the extender in its place. */
  readonly extenderFaults: Set<SendToExtender>
  /** Calls the extender past the faults. */
  readonly callExtender: SendToExtender
  /** Counts a fault that was injected. */
  readonly count: (name: string) => void
  readonly counts: ReadonlyMap<string, number>
  /** Adds a violation of a criterion that the judge does not see. */
  readonly note: (problem: string) => void
  readonly problems: () => readonly string[]
  /** Ends a fault after a time, or at the end of the faults. */
  readonly healAfter: (ms: number, heal: () => void) => void
  /** Ends all faults. */
  readonly healAll: () => void
  readonly recordHardware: () => Promise<void>
  /** Lets time pass. */
  readonly run: (ms: number) => Promise<void>
  /** Returns a digest of the audit log so far. */
  readonly digest: () => string
  readonly end: () => void
}

const election = (leaderElect: boolean): string => `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaderElect: ${leaderElect} }
profiles: [{ schedulerName: berth-scheduler }]
extenders:
  - urlPrefix: http://extender
    filterVerb: filter
    prioritizeVerb: prioritize
    bindVerb: bind
    weight: 1
    nodeCacheCapable: true
    managedResources: [{ name: ${LICENCE}, ignoredByScheduler: true }]
`

/** Starts a world. Two replicas of the scheduler run; in every fourth world without leader election, by mistake. */
export async function startWorld(seed: number): Promise<World> {
  const random = seededRandom(seed)
  const settling = createSettling()
  const virtual = createTestClock(undefined, () => settling.settle())
  const clock: TestClock = {
    ...virtual,
    setTimer(delayMs, task) {
      settling.mark()
      return virtual.setTimer(delayMs, task)
    },
  }
  const counts = new Map<string, number>()
  const notes = new Set<string>()
  const heals = new Set<() => void>()
  const extenderFaults = new Set<SendToExtender>()
  const judge = createJudge({
    binders: /^berth-(?:scheduler|extender)/,
    components: /^berth-(?:scheduler|extender|advertiser)/,
    schedulerName: 'berth-scheduler',
    staleMs: STALE_MS,
    hardware: 'kube-system/hardware',
    leader: { lease: 'kube-system/berth-scheduler', candidates: /^berth-scheduler/ },
  })
  const log = createHash('sha256')
  const audited = createAuditedServer({
    clock,
    random: seededRandom(seed + 1),
    onEvent(event) {
      judge.observe(event)
      log.update(`${event.stageTimestamp} ${event.userAgent} ${event.verb} ${event.requestURI}\n`)
    },
    onRequest: () => settling.mark(),
  })
  const api = createClusterApi(audited.handle)
  const serverProcess = createServerProcess(audited.server, audited.handle)
  const injector = createFaultInjector({ clock, random: seededRandom(seed + 2) })
  const withFaults = injector.wrap(serverProcess.handle)
  const interceptors = new Set<Interceptor>()
  const faulty: ApiHandler = async (request) => {
    for (const interceptor of interceptors) {
      if (interceptor.matches(request)) return await interceptor.handle(request, withFaults)
    }
    return await withFaults(request)
  }
  const networkRandom = seededRandom(seed + 4)
  const maxLatencyMs = pickOne(random, LATENCIES_MS)
  const shared = {
    handler: faulty,
    clock,
    random: seededRandom(seed + 3),
    network: { latencyMs: () => networkRandom() * maxLatencyMs, onTraffic: () => settling.mark() },
    onExit: (name: string) =>
      void counts.set(`${name} ended by itself`, (counts.get(`${name} ended by itself`) ?? 0) + 1),
  }

  const extender = createSupervisedApp({
    ...shared,
    name: 'extender',
    launch: (own) =>
      startVirtualExtender({
        ...own,
        ignoredResources: [LICENCE],
        retrySignal: `kube-system/${RETRY_SIGNAL}`,
        log: silentLogger,
      }),
  })
  const sendToExtender: SendToExtender = async (verb, body) => {
    settling.mark()
    for (const fault of extenderFaults) return await fault(verb, body)
    return await callExtender(verb, body)
  }
  const callExtender: SendToExtender = async (verb, body) => {
    const running = extender.current()
    if (running === undefined) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const answer = await running.call(verb, body)
    settling.mark()
    return answer
  }
  const config = election(random() < 0.75)
  const launchScheduler = (own: AppEnvironment) =>
    startVirtualScheduler({
      ...own,
      config,
      userAgent: `berth-scheduler/${own.identity}`,
      sendToExtender,
      log: silentLogger,
    })
  const schedulers = ['scheduler-a', 'scheduler-b'].map((name) =>
    createSupervisedApp({ ...shared, name, launch: launchScheduler }),
  )
  const owner = 'berth-system/berth-advertiser'
  const advertiser = createSupervisedApp({
    ...shared,
    name: 'advertiser',
    launch: (own) => startVirtualAdvertiser({ ...own, owner, log: silentLogger }),
  })
  const machines = [
    { name: 'node-1', zone: 'a', taints: [] },
    { name: 'node-2', zone: 'b', taints: [] },
    { name: 'node-3', zone: 'b', taints: [{ key: 'dedicated', value: 'lab', effect: 'NoSchedule' }] },
  ].map(({ name, zone, taints }) =>
    createMachine({
      name,
      labels: { zone },
      taints,
      devices: 2 + Math.floor(random() * 3),
      handler: serverProcess.handle,
      clock,
      random: seededRandom(Math.floor(random() * 2 ** 32)),
    }),
  )

  const world: World = {
    clock,
    random,
    api,
    judge,
    injector,
    serverProcess,
    schedulers,
    extender,
    advertiser,
    machines,
    extenderFaults,
    callExtender,
    interceptors,
    counts,
    count: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    note: (problem) => void notes.add(problem),
    problems: () => [...judge.violations().map(({ invariant, text }) => `${invariant}: ${text}`), ...notes],
    healAfter(ms, heal) {
      const once = (): void => {
        if (heals.delete(once)) heal()
      }
      heals.add(once)
      clock.setTimer(ms, once)
    },
    healAll() {
      for (const heal of heals) heal()
    },
    recordHardware: () =>
      api.recordHardware(
        Object.fromEntries(
          machines.map((machine) => {
            const { name, ids } = machine
            return [name, { [DEVICE]: Object.fromEntries(ids.map((id) => [id, machine.isHealthy(id)])) }]
          }),
        ),
      ),
    async run(ms) {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        await clock.run(Math.min(STEP_MS, ms - passed))
        for (const { name, kubelet } of machines) {
          if (kubelet.isRunning) judge.observePodResources(name, kubelet.podResources())
        }
      }
    },
    digest: () => log.copy().digest('hex'),
    end() {
      for (const app of [...schedulers, extender, advertiser]) app.end()
      for (const machine of machines) machine.end()
    },
  }
  await setUp(world)
  return world
}

async function setUp({ api, machines, schedulers, extender, advertiser, run, recordHardware }: World): Promise<void> {
  await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', extendedResourceDefinition())
  await api.create('/api/v1/namespaces', { metadata: { name: 'berth-system' } })
  const capacity = { metadata: { name: RETRY_SIGNAL }, storageClassName: 'none' }
  await api.create('/apis/storage.k8s.io/v1/namespaces/kube-system/csistoragecapacities', capacity)
  await recordHardware()
  for (const machine of machines) {
    machine.startKubelet()
    machine.startPlugin()
  }
  for (const app of [advertiser, extender, ...schedulers]) app.start()
  await run(START_MS)
}
