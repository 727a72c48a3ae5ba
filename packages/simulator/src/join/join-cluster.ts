import { silentLogger, type ApiHandler, type Clock, type Logger, type Node, type Pod, type Random } from '@berth/types'
import { join } from 'node:path'
import {
  createKubelet,
  createApiClient,
  type Kubelet,
  KubeletApiError,
  type ApiClient,
  startKubeletFeeds,
} from '@berth/embedded-kubelet'
import { SimulatorStartError } from '../http/simulator-error.ts'
import { requireRights } from './required-rights.ts'

/** Label and taint key of nodes that nothing stands behind. */
export const SIMULATED_KEY = 'berth.dev/simulated'

/** A real kubelet's time between two looks at its status. */
const STATUS_SYNC_MS = 10_000
/** Requests at a time while nodes come and go. */
const CONCURRENCY = 32

/** Virtual nodes of an API server that is somebody else's. */
export interface JoinOptions {
  /** Carries requests to the API server, credentials included. */
  readonly handler: ApiHandler
  readonly nodes: number
  /** Nodes are named `<prefix>-1`, `<prefix>-2`, … Default: `berth-sim`. */
  readonly prefix?: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Where the kubelets keep their sockets; without it they have none. */
  readonly dir?: string
  /** Devices that every node has without a plugin: their number by resource name. */
  readonly devices?: Readonly<Record<string, number>>
}

/** Nodes that have joined. Disposing makes them leave: their pods, leases and Node objects are deleted. */
export interface JoinedNodes extends AsyncDisposable {
  readonly kubelets: readonly Kubelet[]
}

/**
 * Joins an API server with virtual nodes: Node objects, leases, status and the life cycle of pods bound to them, as
 * simulated kubelets keep them. The nodes carry the label and taint `berth.dev/simulated` and no Linux label, so that
 * nothing lands there that does not ask for it: daemons that tolerate everything select `kubernetes.io/os: linux`.
 *
 * @throws BERTH_SIMULATOR_JOIN_FORBIDDEN, BERTH_SIMULATOR_JOIN_TAKEN; what the handler throws when the server is away.
 */
export async function joinCluster(options: JoinOptions): Promise<JoinedNodes> {
  const { handler, nodes, prefix = 'berth-sim', clock, random, log = silentLogger, dir, devices } = options
  const rest = createApiClient(handler)
  await requireRights(rest)
  const names = Array.from({ length: nodes }, (_, i) => `${prefix}-${i + 1}`)
  await pooled(names, (name) => requireFree(rest, name))
  await using parts = new AsyncDisposableStack()
  const ours = new Set(names)
  const feeds = parts.use(startKubeletFeeds({ handler, clock, log, includesNode: (name) => ours.has(name) }))
  const kubelets = names.map((nodeName) =>
    createKubelet({
      handler,
      nodeName,
      clock,
      random,
      log,
      feeds,
      statusSyncMs: STATUS_SYNC_MS,
      labels: {
        [SIMULATED_KEY]: 'true',
        'node-role.kubernetes.io/simulated': '',
        'kubernetes.io/os': 'simulated',
        'beta.kubernetes.io/os': 'simulated',
      },
      taints: [{ key: SIMULATED_KEY, value: 'true', effect: 'NoSchedule' }],
      ...(devices === undefined ? {} : { devices }),
      ...(dir === undefined ? {} : { pluginDirs: socketDirs(join(dir, nodeName)) }),
    }),
  )
  parts.defer(() => leave(rest, kubelets, log))
  await pooled(kubelets, (kubelet) => kubelet.start())
  const owned = parts.move()
  return { kubelets, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** A node of that name must be none, or one that an earlier run left behind. */
async function requireFree(rest: ApiClient, name: string): Promise<void> {
  const found = await orAbsent(rest.send<Node>('GET', `/api/v1/nodes/${encodeURIComponent(name)}`))
  if (found === undefined || found.metadata.labels?.[SIMULATED_KEY] === 'true') return
  throw new SimulatorStartError(`join the cluster: there is a node ${name} already, and it is no simulated one`, {
    code: 'BERTH_SIMULATOR_JOIN_TAKEN',
    hint: 'Choose other names with --prefix.',
  })
}

/** Takes the nodes out again: first nobody keeps them, then their pods go, then they themselves. */
async function leave(rest: ApiClient, kubelets: readonly Kubelet[], log: Logger): Promise<void> {
  const names = new Set(kubelets.map(({ nodeName }) => nodeName))
  await Promise.all(kubelets.map((kubelet) => kubelet.stop()))
  try {
    const { items } = await rest.send<{ readonly items: readonly Pod[] }>('GET', '/api/v1/pods')
    await pooled(
      items.filter(({ spec }) => names.has(spec.nodeName ?? '')),
      ({ metadata: { namespace = 'default', name = '', uid } }) =>
        orAbsent(
          rest.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, {
            apiVersion: 'v1',
            kind: 'DeleteOptions',
            gracePeriodSeconds: 0,
            preconditions: { uid },
          }),
        ),
    )
    await pooled([...names], async (name) => {
      await orAbsent(rest.send('DELETE', `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`))
      await orAbsent(rest.send('DELETE', `/api/v1/nodes/${name}`))
    })
  } catch (error) {
    log.warn({ err: error }, 'Virtual nodes could not be taken out of the cluster')
    throw error
  }
}

/** undefined where the object is not there, or is another one by now. */
async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof KubeletApiError && (error.status === 404 || error.status === 409)) return undefined
    throw error
  }
}

/** Does the work for every item, so many at a time. */
async function pooled<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values()
  const workers = Array.from({ length: Math.min(CONCURRENCY, items.length) }, async () => {
    for (const item of left) await work(item)
  })
  await Promise.all(workers)
}

function socketDirs(dir: string): {
  readonly devicePlugins: string
  readonly pluginsRegistry: string
  readonly podResources: string
} {
  return {
    devicePlugins: join(dir, 'device-plugins'),
    pluginsRegistry: join(dir, 'plugins_registry'),
    podResources: join(dir, 'pod-resources'),
  }
}
