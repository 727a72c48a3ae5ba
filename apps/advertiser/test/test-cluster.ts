import { fakeClock, type FakeClock, seededRandom } from '@berth/clock/testing'
import {
  connectCluster,
  resourceRefs,
  startLeaderElection,
  type ApiClient,
  type Cluster,
  type EventInput,
  type LeaderElection,
} from '@berth/k8s-client'
import { createPluginRegistry, type BerthPlugin } from '@berth/plugin-api'
import { createMetrics } from '@berth/process/metrics'
import type { ExitRequest } from '@berth/process/shutdown'
import { createApiServer } from '@berth/simulator'
import type { ApiHandler, ApiRequest, ApiResponse, LogFields, Logger, Node, Pod } from '@berth/types'
import { installationLease } from '../src/lease/installation-lease.ts'
import { nodeFilter } from '../src/node-mode/node-filter.ts'
import { createNodeTrimmer } from '../src/plan/node-trimmer.ts'
import type { Advertiser } from '../src/advertiser.ts'
import { createDeviceClasses } from '../src/device-classes/device-classes.ts'
import { createAdvertiserMetrics } from '../src/report/advertiser-metrics.ts'
import type { ResourceEntry } from '../src/config.ts'
import { createNodeReporter } from '../src/report/node-reporter.ts'
import { prepareDeclarations, prepareSetup, type SetupDependencies } from '../src/config/prepare-setup.ts'
import { mirrorObjects } from '../src/objects/mirror-objects.ts'
import type { ObjectMirrors } from '../src/objects/watch-objects.ts'
import type { Declaration } from '../src/plan/declaration.ts'
import { startReconciling } from '../src/start-reconciling.ts'
import { createHeldUnitsReader } from '../src/sources/held-units.ts'
import type { SourceOrigin } from '../src/sources/source-origins.ts'
import { runCommand, type Mode, type RunCommandOptions } from '../src/run-command.ts'
import { withDeclarations, type Setup } from '../src/config/setup.ts'
import { listDeclarations } from '../src/objects/list-objects.ts'

/** A logged line. */
export interface LoggedLine extends LogFields {
  readonly level: string
  readonly message: string
}

/** An embedded API server and the parts of the advertiser, in virtual time. */
export interface TestCluster extends AsyncDisposable {
  readonly cluster: Cluster
  readonly client: ApiClient
  /** A client whose requests are neither intercepted nor recorded. */
  readonly admin: ApiClient
  readonly clock: FakeClock
  readonly lines: LoggedLine[]
  readonly events: EventInput[]
  /** Requests of the advertiser and of the test. */
  readonly requests: ApiRequest[]
  readonly dependencies: SetupDependencies
  /** Sets a function that answers requests instead of the server; undefined lets the server answer. */
  intercept(answer: (request: ApiRequest) => ApiResponse | undefined): void
  /** Takes the right to write from the reconcile loop. */
  loseLease(): void
  /** Times that the reconcile loop had garbage collected. */
  garbageCollections(): number
  addNode(name: string, more?: Partial<Node['metadata']>, amounts?: Record<string, string>): Promise<void>
  addPod(name: string, nodeName: string, requests: Record<string, string>): Promise<void>
  node(name: string): Promise<Node>
  setup(
    resources: readonly ResourceEntry[],
    options?: {
      readonly owner?: string | undefined
      readonly clearStaleZeros?: readonly string[]
      readonly onlyNode?: string | undefined
    },
  ): Setup
  /** Runs a command as a process would and returns what it prints. */
  run(mode: Exclude<Mode, 'watch'>, resources: readonly ResourceEntry[], options?: RunOptions): Promise<string>
  /** As `run`, and returns the exit code, too. */
  exit(mode: Exclude<Mode, 'watch'>, resources: readonly ResourceEntry[], options?: RunOptions): Promise<ExitRequest>
  /** Starts the reconcile loop. */
  start(
    resources: readonly ResourceEntry[],
    clearStaleZeros?: readonly string[],
    onlyNode?: string,
  ): Promise<Advertiser>
  /** Starts the reconcile loop with ExtendedResource objects, whose definition must be installed. */
  startWithObjects(resources: readonly ResourceEntry[], allowedNames?: string): Promise<Advertiser>
  metric(name: string): Promise<string | undefined>
}

/** Options of {@link TestCluster.run}. */
export type RunOptions = Partial<
  Pick<RunCommandOptions, 'force' | 'from' | 'retryCommand' | 'watchObjects' | 'refuseObjects'>
> & {
  readonly owner?: string
  /** The node of the process, in node mode. */
  readonly onlyNode?: string
}

/** The name of the installation under test. */
export const OWNER = 'berth-system/berth-advertiser'

/** Declares dongles on the named nodes. */
export function dongles(units: number, ...names: readonly string[]): ResourceEntry {
  return { name: 'example.com/dongle', units, nodes: { names: [...names] } }
}

/** Starts a process that holds the Lease of an installation, or with `onlyNode` the one of that node. */
export async function lead(
  { client, clock, dependencies }: TestCluster,
  owner: string,
  onlyNode?: string,
): Promise<LeaderElection> {
  const lease = installationLease(owner, onlyNode)
  const options = { client, clock, log: dependencies.log, random: () => 0.5, identity: 'running-pod' }
  const election = startLeaderElection({ ...lease, ...options })
  await election.whenLeading()
  return election
}

/** Starts a cluster without nodes. */
export async function testCluster(
  plugins: readonly BerthPlugin[] = [],
  config: { readonly sourceOrigins?: readonly SourceOrigin[] } = {},
): Promise<TestCluster> {
  const clock = fakeClock()
  const random = (): number => 0.5
  // Uids must differ from each other and repeat in every run.
  const server = createApiServer({ clock, random: seededRandom(1) })
  const requests: ApiRequest[] = []
  let interceptor: (request: ApiRequest) => ApiResponse | undefined = () => undefined
  const handler: ApiHandler = async (request) => {
    requests.push(request)
    return interceptor(request) ?? server.handle(request)
  }
  const lines: LoggedLine[] = []
  const log = recordingLogger(lines)
  const cluster = connectCluster({ handler, log, clock, random, qps: 0, userAgent: 'berth-advertiser' })
  const { client } = cluster
  const direct = connectCluster({ handler: server.handle, log, clock, random, qps: 0, userAgent: 'test' })
  for (const namespace of ['berth-system', 'lab', 'third']) {
    await client.create(resourceRefs.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  }
  const registry = createMetrics('advertiser', { withProcess: false })
  const metrics = createAdvertiserMetrics(registry)
  const events: EventInput[] = []
  const reporter = createNodeReporter({ log, metrics, recordEvent: (event) => void events.push(event) })
  const pluginRegistry = createPluginRegistry(plugins.map((plugin) => ({ plugin, origin: 'test' })))
  const deviceClasses = createDeviceClasses({ client, log })
  const deviceClassOf = deviceClasses.classOf
  const nodeTrimmer = createNodeTrimmer((name, signal) => client.find<Node>(resourceRefs.nodes, { name }, { signal }))
  const dependencies: SetupDependencies = {
    plugins: pluginRegistry,
    metrics,
    log,
    clock,
    random,
    readHeldUnits: createHeldUnitsReader(client),
    nodeTrimmer,
    deviceClassOf,
  }
  const setup: TestCluster['setup'] = (resources, { owner = OWNER, clearStaleZeros = [], onlyNode } = {}) =>
    prepareSetup({ resources, owner, clearStaleZeros, onlyNode, ...config }, dependencies)
  const prepare = (declarations: readonly Declaration[]) => prepareDeclarations(declarations, dependencies)
  const exit: TestCluster['exit'] = async (mode, resources, { owner, onlyNode, ...more } = {}) => {
    const { signal } = new AbortController()
    await deviceClasses.refresh(signal)
    const own = setup(resources, { owner, onlyNode })
    const listed =
      more.watchObjects === true && !mode.endsWith('prune')
        ? await listDeclarations({ client, owner: own.desired.owner, allowedNames: undefined, prepare, log, signal })
        : []
    const options = { client, setup: withDeclarations(own, listed), reporter, metrics, log, clock, random, signal }
    return await runCommand(mode, { ...options, force: false, ...more })
  }
  let mayWrite = true
  let garbageCollections = 0
  const closing: AsyncDisposable[] = []
  const start = async (own: Setup, mirrors?: ObjectMirrors): Promise<Advertiser> => {
    const nodes = cluster.reflect<Node>(resourceRefs.nodes, {
      ...nodeFilter(own.desired.onlyNode),
      project: nodeTrimmer.trim,
    })
    const starting = startReconciling({
      client,
      nodes,
      setup: own,
      ...(mirrors !== undefined && { objects: { mirrors, prepare } }),
      deviceClasses,
      mayWrite: () => mayWrite,
      reporter,
      metrics,
      log,
      clock,
      random,
      signal: new AbortController().signal,
      collectGarbage: () => void (garbageCollections += 1),
    })
    await clock.settle()
    await mirrors?.objects.waitForSync()
    const advertiser = await starting
    closing.push(advertiser)
    await nodes.waitForSync()
    await clock.settle()
    await advertiser.settled()
    return advertiser
  }

  return {
    cluster,
    client,
    admin: direct.client,
    clock,
    lines,
    events,
    requests,
    dependencies,
    setup,
    loseLease: () => void (mayWrite = false),
    garbageCollections: () => garbageCollections,
    intercept: (answer) => void (interceptor = answer),
    async addNode(name, more = {}, amounts = {}) {
      const list = { cpu: '2', memory: '2049008Ki', pods: '110' }
      // The API server records no field owners for an object that was created without owned fields. A kubelet creates its
      // node with labels.
      const metadata = { name, labels: { 'kubernetes.io/hostname': name }, ...more }
      const node: Node = { apiVersion: 'v1', kind: 'Node', metadata }
      await direct.client.create(resourceRefs.nodes, node)
      await direct.client.patchNodeStatus(
        name,
        { status: { capacity: list, allocatable: list } },
        { fieldManager: 'kubelet' },
      )
      if (Object.keys(amounts).length === 0) return
      // The kubelet writes extended resources only for device plugins.
      const byHand = { status: { capacity: amounts, allocatable: amounts } }
      await direct.client.patchNodeStatus(name, byHand, { fieldManager: 'hand' })
    },
    async addPod(name, nodeName, requests) {
      const container = { name: 'ctr', image: 'nginx', resources: { requests, limits: requests } }
      const pod: Pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { nodeName, containers: [container] },
      }
      await direct.client.create(resourceRefs.pods, pod)
    },
    node: (name) => direct.client.get<Node>(resourceRefs.nodes, { name }),
    exit,
    run: async (mode, resources, options) => (await exit(mode, resources, options)).text,
    start: (resources, clearStaleZeros = [], onlyNode) => start(setup(resources, { clearStaleZeros, onlyNode })),
    startWithObjects: (resources, allowedNames) => start(setup(resources), mirrorObjects(cluster, allowedNames)),
    async metric(name) {
      const text = await registry.registry.metrics()
      return text.split('\n').find((line) => line.startsWith(name))
    },
    async [Symbol.asyncDispose]() {
      for (const part of closing.toReversed()) await part[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
      await direct[Symbol.asyncDispose]()
    },
  }
}

function recordingLogger(lines: LoggedLine[]): Logger {
  const at =
    (level: string) =>
    (fields: LogFields, message: string): void =>
      void lines.push({ ...fields, level, message })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
