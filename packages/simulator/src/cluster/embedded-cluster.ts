import { join } from 'node:path'
import { silentLogger, type ApiHandler, type Clock, type Logger, type Random, type ResourceList } from '@berth/types'
import { type ApiServer, type ApiServerOptions, createApiServer } from '@berth/embedded-api-server'
import { startControllers } from '@berth/embedded-controllers'
import { createKubelet, type Kubelet, type KubeletOptions, startKubeletFeeds } from '@berth/embedded-kubelet'
import { withKubeletControl } from './kubelet-control.ts'
import { createCertificates, type ServingCertificates } from '../http/certificates.ts'
import { loadPods } from '../load/load-pods.ts'
import { serveApiServer, type ServedApi, type ServeOptions } from '../http/serve-api-server.ts'

/** What an embedded cluster is made of. */
export interface EmbeddedClusterOptions {
  /** Number of nodes, named `node-1`, `node-2`, … */
  readonly nodes: number
  /** Pods that exist from the start, spread over the nodes; default 0. */
  readonly pods?: number
  /** Where the kubelets keep their sockets: `<dir>/<node>/device-plugins`, …; without it they have none. */
  readonly dir?: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Native resources of each node. */
  readonly capacity?: ResourceList
  /** How to serve HTTPS; `false`: in process only. */
  readonly serve?: ServeOptions | false
  /** Place pods of `default-scheduler` wherever there is room; default: they stay Pending. */
  readonly schedulesPods?: boolean
  /** Stands between the API server and everybody who is no part of it, kubelets included: faults, recorders. */
  readonly through?: (handler: ApiHandler, apiServer: ApiServer) => ApiHandler
  /** What the API server does on request only: decide by roles, write an audit. */
  readonly api?: Pick<ApiServerOptions, 'rbac' | 'audit'>
  /** Further options of every kubelet. */
  readonly kubelet?: Pick<
    KubeletOptions,
    'statusSyncMs' | 'leaseRenewMs' | 'terminationMs' | 'reserved' | 'hasStreamRace' | 'devices'
  >
}

/** API server, controllers and kubelets in one process. Disposing ends all of them. */
export interface EmbeddedCluster extends AsyncDisposable {
  readonly apiServer: ApiServer
  /** Answers requests in process, kubelet control included. */
  readonly handle: ApiHandler
  readonly kubelets: readonly Kubelet[]
  /** A kubelet by index from 0 or by node name. @throws RangeError where there is none */
  kubelet(which: number | string): Kubelet
  /** The HTTPS server; undefined when it is in process only. */
  readonly served: ServedApi | undefined
}

/** Starts a cluster; it is ready when the promise resolves. */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const { nodes, pods = 0, dir, clock, random, log = silentLogger } = options
  await using parts = new AsyncDisposableStack()
  const apiServer = createApiServer({ clock, random, log, ...options.api })
  const tls = options.serve === false ? undefined : await certificatesFor(options.serve, clock)
  const { schedulesPods = false } = options
  parts.use(startControllers(apiServer, { rootCa: tls?.ca ?? '', schedulesPods }))
  const handler = options.through?.(apiServer.handle, apiServer) ?? apiServer.handle
  const names = Array.from({ length: nodes }, (_, i) => `node-${i + 1}`)
  const feeds = parts.use(startKubeletFeeds({ handler, clock, log }))
  const kubelets = names.map((nodeName) =>
    createKubelet({
      handler,
      nodeName,
      clock,
      random,
      log,
      feeds,
      ...options.kubelet,
      ...(options.capacity === undefined ? {} : { capacity: options.capacity }),
      ...(dir === undefined ? {} : { pluginDirs: pluginDirs(join(dir, nodeName)) }),
    }),
  )
  parts.defer(async () => {
    await Promise.all(kubelets.map((kubelet) => kubelet[Symbol.asyncDispose]()))
  })
  const handle = withKubeletControl(handler, kubelets)
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
    kubelet(which) {
      const kubelet = typeof which === 'number' ? kubelets[which] : kubelets.find(({ nodeName }) => nodeName === which)
      if (kubelet === undefined) throw new RangeError(`the simulated cluster has no kubelet ${which}`)
      return kubelet
    },
    served,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Made before anything else: every namespace carries the authority. */
async function certificatesFor(serve: ServeOptions | undefined, clock: Clock): Promise<ServingCertificates> {
  const { tls, host = '127.0.0.1', now = () => clock.now() } = serve ?? {}
  return tls ?? (await createCertificates(host, now()))
}

function pluginDirs(dir: string): NonNullable<KubeletOptions['pluginDirs']> {
  return {
    devicePlugins: join(dir, 'device-plugins'),
    pluginsRegistry: join(dir, 'plugins_registry'),
    podResources: join(dir, 'pod-resources'),
  }
}
