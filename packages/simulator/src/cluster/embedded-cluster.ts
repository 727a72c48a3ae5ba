import { join } from 'node:path'
import {
  silentLogger,
  type ApiHandler,
  type Clock,
  type KubernetesObject,
  type Logger,
  type Random,
  type ResourceList,
} from '@berth/types'
import { type ApiServer, type ApiServerOptions, createApiServer } from '@berth/embedded-api-server'
import { startControllers } from '@berth/embedded-controllers'
import {
  createKubelet,
  type Kubelet,
  type KubeletOptions,
  recordedMachine,
  startKubeletFeeds,
} from '@berth/embedded-kubelet'
import { withKubeletControl } from './kubelet-control.ts'
import { refuseHelmTests } from './refuse-helm-tests.ts'
import { createCertificates, type ServingCertificates } from '../http/certificates.ts'
import { loadSnapshot, type LoadedSnapshot } from '../snapshot/load-snapshot.ts'
import { loadPods } from '../load/load-pods.ts'
import { serveApiServer, type ServedApi, type ServeOptions } from '../http/serve-api-server.ts'

/** Options of {@link startEmbeddedCluster}. */
export interface EmbeddedClusterOptions {
  /** Number of nodes, named `node-1`, `node-2`, … */
  readonly nodes: number
  /** Objects of a recorded cluster to start with. Each of its nodes gets a kubelet. */
  readonly snapshot?: readonly KubernetesObject[]
  /** Number of pods that run from the start, spread over the nodes. Default: 0. */
  readonly pods?: number
  /** Directory for the kubelets' sockets: `<dir>/<node>/device-plugins`, … Without it they have none. */
  readonly dir?: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Native resources of each node. */
  readonly capacity?: ResourceList
  /** How to serve HTTPS. `false` disables it: the cluster is reachable in process only. */
  readonly serve?: ServeOptions | false
  /** Whether to bind pods of `default-scheduler` to nodes with room. Default: false; they stay Pending. */
  readonly schedulesPods?: boolean
  /**
   * Wraps the API server for all clients, to inject faults or to record. The kubelets are such clients; the controllers
   * are not.
   */
  readonly through?: (handler: ApiHandler, apiServer: ApiServer) => ApiHandler
  /** Optional features of the API server: RBAC and audit. */
  readonly api?: Pick<ApiServerOptions, 'rbac' | 'audit'>
  /** Further options of every kubelet. */
  readonly kubelet?: Pick<
    KubeletOptions,
    'statusSyncMs' | 'leaseRenewMs' | 'terminationMs' | 'reserved' | 'hasStreamRace' | 'devices'
  >
}

/** An API server, controllers and kubelets in one process. Disposing stops all of them. */
export interface EmbeddedCluster extends AsyncDisposable {
  readonly apiServer: ApiServer
  /** Answers requests in process, including those that control kubelets. */
  readonly handle: ApiHandler
  readonly kubelets: readonly Kubelet[]
  /** How many objects of the snapshot were stored, and which were not; undefined without a snapshot. */
  readonly recorded: LoadedSnapshot | undefined
  /** Returns a kubelet by index from 0 or by node name. @throws RangeError when there is none. */
  kubelet(which: number | string): Kubelet
  /** The HTTPS server; undefined when HTTPS is disabled. */
  readonly served: ServedApi | undefined
}

type Machine = Pick<KubeletOptions, 'nodeName' | 'labels' | 'capacity' | 'reserved'>

/** Starts a cluster. It is ready when the promise resolves. */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const { pods = 0, dir, clock, random, log = silentLogger } = options
  await using parts = new AsyncDisposableStack()
  const apiServer = createApiServer({ clock, random, log, ...options.api })
  const tls = options.serve === false ? undefined : await certificatesFor(options.serve, clock)
  const { schedulesPods = false } = options
  const recorded = options.snapshot === undefined ? undefined : await loadSnapshot(apiServer, options.snapshot)
  parts.use(startControllers(apiServer, { rootCa: tls?.ca ?? '', schedulesPods }))
  const handler = options.through?.(apiServer.handle, apiServer) ?? apiServer.handle
  const recordedMachines = (recorded?.nodes ?? []).map(recordedMachine)
  const machines = [...newMachines(options, recordedMachines), ...recordedMachines]
  const names = machines.map(({ nodeName }) => nodeName)
  const feeds = parts.use(startKubeletFeeds({ handler, clock, log }))
  const kubelets = machines.map((machine) =>
    createKubelet({
      handler,
      clock,
      random,
      log,
      feeds,
      ...options.kubelet,
      ...machine,
      ...(dir === undefined ? {} : { pluginDirs: pluginDirs(join(dir, machine.nodeName)) }),
    }),
  )
  parts.defer(async () => {
    await Promise.all(kubelets.map((kubelet) => kubelet[Symbol.asyncDispose]()))
  })
  const handle = withKubeletControl(refuseHelmTests(handler), kubelets)
  await Promise.all(kubelets.map((kubelet) => kubelet.start()))
  await loadPods(apiServer, names, pods)
  const served =
    options.serve === false || tls === undefined
      ? undefined
      : parts.use(await serveApiServer({ handle }, { now: () => clock.now(), ...options.serve, tls }))
  const owned = parts.move()
  return {
    apiServer,
    handle,
    kubelets,
    recorded,
    kubelet(which) {
      const kubelet = typeof which === 'number' ? kubelets[which] : kubelets.find(({ nodeName }) => nodeName === which)
      if (kubelet === undefined) throw new RangeError(`the simulated cluster has no kubelet ${which}`)
      return kubelet
    },
    served,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Creates the certificates. They come first, because every namespace contains the certificate authority. */
async function certificatesFor(serve: ServeOptions | undefined, clock: Clock): Promise<ServingCertificates> {
  const { tls, host = '127.0.0.1', now = () => clock.now() } = serve ?? {}
  return tls ?? (await createCertificates(host, now()))
}

/** Returns `nodes` machines, named `node-1`, `node-2`, …, without the names of recorded ones. */
function newMachines(
  { nodes, capacity }: Pick<EmbeddedClusterOptions, 'nodes' | 'capacity'>,
  recorded: readonly Machine[],
): readonly Machine[] {
  const taken = new Set(recorded.map(({ nodeName }) => nodeName))
  return Array.from({ length: nodes + taken.size }, (_, i) => `node-${i + 1}`)
    .filter((nodeName) => !taken.has(nodeName))
    .slice(0, nodes)
    .map((nodeName) => ({ nodeName, ...(capacity && { capacity }) }))
}

function pluginDirs(dir: string): NonNullable<KubeletOptions['pluginDirs']> {
  return {
    devicePlugins: join(dir, 'device-plugins'),
    pluginsRegistry: join(dir, 'plugins_registry'),
    podResources: join(dir, 'pod-resources'),
  }
}
