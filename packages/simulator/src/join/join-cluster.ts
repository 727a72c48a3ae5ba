import { forEachConcurrently } from '@berth/clock'
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
import { SimulatorStartError } from '../simulator-start-error.ts'
import { requirePermissions } from './required-permissions.ts'

/** Label and taint key of simulated nodes. */
export const SIMULATED_KEY = 'berth.dev/simulated'

/** Period of a real kubelet's status sync. */
const STATUS_SYNC_MS = 10_000
/** Maximum number of concurrent requests while nodes join or leave. */
const CONCURRENCY = 32

/** Options of {@link joinCluster}. */
export interface JoinOptions {
  /** Sends requests to the API server, with credentials. */
  readonly handler: ApiHandler
  readonly nodes: number
  /** Nodes are named `<prefix>-1`, `<prefix>-2`, … Default: `berth-sim`. */
  readonly prefix?: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Directory for the kubelets' sockets. Without it they have none. */
  readonly dir?: string
  /** Number of devices of every node without a plugin, by resource name. */
  readonly devices?: Readonly<Record<string, number>>
}

/** Nodes that joined. Disposing deletes their pods, leases and Node objects. */
export interface JoinedNodes extends AsyncDisposable {
  readonly kubelets: readonly Kubelet[]
}

/**
 * Adds virtual nodes to a running cluster. Simulated kubelets keep their Node objects, leases and status, and run the
 * pods that are bound to them. The nodes have the label and taint `berth.dev/simulated` and no Linux label, so that no
 * pod is placed there by accident: daemons that tolerate all taints select `kubernetes.io/os: linux`.
 *
 * @throws BERTH_SIMULATOR_JOIN_FORBIDDEN, BERTH_SIMULATOR_JOIN_TAKEN; the errors of the handler.
 */
export async function joinCluster(options: JoinOptions): Promise<JoinedNodes> {
  const { handler, nodes, prefix = 'berth-sim', clock, random, log = silentLogger, dir, devices } = options
  const api = createApiClient(handler)
  await requirePermissions(api)
  const names = Array.from({ length: nodes }, (_, i) => `${prefix}-${i + 1}`)
  await forEachConcurrently(names, CONCURRENCY, (name) => requireUnusedName(api, name))
  await using parts = new AsyncDisposableStack()
  const ownNames = new Set(names)
  const feeds = parts.use(startKubeletFeeds({ handler, clock, log, includesNode: (name) => ownNames.has(name) }))
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
  parts.defer(() => removeNodes(api, kubelets, log))
  await forEachConcurrently(kubelets, CONCURRENCY, (kubelet) => kubelet.start())
  const owned = parts.move()
  return { kubelets, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Requires that no node has the name, or only one that an earlier run left behind. */
async function requireUnusedName(api: ApiClient, name: string): Promise<void> {
  const found = await ignoreMissing(api.send<Node>('GET', `/api/v1/nodes/${encodeURIComponent(name)}`))
  if (found === undefined || found.metadata.labels?.[SIMULATED_KEY] === 'true') return
  throw new SimulatorStartError(`join the cluster: node ${name} already exists and is not a simulated node`, {
    code: 'BERTH_SIMULATOR_JOIN_TAKEN',
    hint: 'Choose other names with --prefix.',
  })
}

/** Stops the kubelets, then deletes their pods, then their leases and nodes. */
async function removeNodes(api: ApiClient, kubelets: readonly Kubelet[], log: Logger): Promise<void> {
  const names = new Set(kubelets.map(({ nodeName }) => nodeName))
  await Promise.all(kubelets.map((kubelet) => kubelet.stop()))
  try {
    const { items } = await api.send<{ readonly items: readonly Pod[] }>('GET', '/api/v1/pods')
    await forEachConcurrently(
      items.filter(({ spec }) => names.has(spec.nodeName ?? '')),
      CONCURRENCY,
      ({ metadata: { namespace = 'default', name = '', uid } }) =>
        ignoreMissing(
          api.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, {
            apiVersion: 'v1',
            kind: 'DeleteOptions',
            gracePeriodSeconds: 0,
            preconditions: { uid },
          }),
        ),
    )
    await forEachConcurrently(names, CONCURRENCY, async (name) => {
      await ignoreMissing(api.send('DELETE', `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`))
      await ignoreMissing(api.send('DELETE', `/api/v1/nodes/${name}`))
    })
  } catch (error) {
    log.warn({ err: error }, 'Virtual nodes could not be removed from the cluster')
    throw error
  }
}

/** Returns undefined when the object does not exist, or was replaced by another one. */
async function ignoreMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof KubeletApiError && (error.status === 404 || error.status === 409)) return undefined
    throw error
  }
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
