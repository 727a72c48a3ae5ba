import { homedir } from 'node:os'
import { type Cluster, type ClusterAccess, connectCluster, loadKubeconfig } from '@berth/k8s-client'
import { type HealthServer, startHealthServer, type StartHealthServerOptions } from '@berth/process/health'
import type { Clock, Logger } from '@berth/types'
import type { SecureServing, Settings } from '../config/settings.ts'
import { createDelegatedAccess } from './delegated-access.ts'
import { readTls } from './keep-tls-current.ts'
import { createCertificate, readCertificate } from './serving-certificate.ts'

/** Options of {@link startServers}. */
export interface StartServersOptions extends Pick<StartHealthServerOptions, 'checks' | 'registry' | 'pages' | 'stop'> {
  /** The cluster whose API server decides about callers, unless the settings name others. */
  readonly access: ClusterAccess
  readonly clock: Clock
  readonly log: Logger
}

/** Requests per second that callers can make the API server decide about. */
const REVIEWS_PER_SECOND = 20

/**
 * Starts the plain HTTP server for health and metrics, and the HTTPS server of kube-scheduler, whose callers the API
 * server authorizes. Either may be off.
 *
 * @throws ListenError BERTH_LISTEN_ADDRESS, BERTH_LISTEN_FAILED
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_INVALID when the certificate cannot be read.
 */
export async function startServers(
  { healthAddress, secureServing }: Pick<Settings, 'healthAddress' | 'secureServing'>,
  { access, clock, log, ...served }: StartServersOptions,
): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack()
  if (healthAddress !== undefined) {
    started.use(await startHealthServer({ ...served, address: healthAddress, log }))
  }
  if (secureServing !== undefined) {
    const connect = (path: string | undefined): Cluster =>
      started.use(
        connectCluster({
          access: path === undefined ? access : loadKubeconfig({ path, env: {}, home: homedir() }),
          log,
          clock,
          random: Math.random,
          qps: REVIEWS_PER_SECOND,
          burst: REVIEWS_PER_SECOND,
          userAgent: 'berth-scheduler',
        }),
      )
    const { server, watch } = await startSecureServer(secureServing, connect, { ...served, clock, log })
    started.use(server)
    const closed = new AbortController()
    started.defer(() => closed.abort())
    void watch(closed.signal)
  }
  return started.move()
}

async function startSecureServer(
  { address, certFile, keyFile, authenticationKubeconfig, authorizationKubeconfig }: SecureServing,
  connect: (kubeconfig: string | undefined) => Cluster,
  served: Omit<StartServersOptions, 'access'>,
): Promise<{ readonly server: HealthServer; readonly watch: (signal: AbortSignal) => Promise<void> }> {
  const { clock, log } = served
  const authentication = connect(authenticationKubeconfig)
  const isSame = authorizationKubeconfig === authenticationKubeconfig
  const authorization = isSame ? authentication : connect(authorizationKubeconfig)
  const reviewers = { authentication: authentication.client, authorization: authorization.client }
  const created = certFile === undefined && keyFile === undefined ? await createCertificate(clock.now()) : undefined
  const current = await readTls({
    client: authentication.client,
    readCertificate: () => created ?? readCertificate({ certFile, keyFile }),
    clock,
    random: Math.random,
    log,
  })
  const server = await startHealthServer({
    ...served,
    address,
    tls: current.tls(),
    authorize: createDelegatedAccess({ ...reviewers, authorities: current.authorities, clock, log }),
    flag: '--secure-port',
  })
  return { server, watch: (signal) => current.watch((tls) => server.setTls(tls), signal) }
}
