import { systemClock } from '@berth/clock'
import { connectCluster, leaseIdentity, loadKubeconfig, startLeaderElection, whileLeading } from '@berth/k8s-client'
import { loadConfig } from '@berth/process/config'
import { startHealthServer } from '@berth/process/health'
import { createLogger } from '@berth/process/log'
import { createMetrics } from '@berth/process/metrics'
import { runMain, shutdownSignal } from '@berth/process/shutdown'
import { errorText } from '@berth/text/error-text'
import { splitNamespacedName } from '@berth/types'
import { homedir } from 'node:os'
import { configDefinition } from './config.ts'
import { leaseLostError } from './errors.ts'
import { metricDefinitions } from './metrics.ts'
import { keepRotating } from './rotation/keep-rotating.ts'
import { countOutdatedSchedulers } from './rotation/outdated-schedulers.ts'
import { rotationSettings } from './rotation/rotation-settings.ts'
import { adoptSecrets } from './secrets/adopt-secrets.ts'
import { createSecretStore } from './secrets/secret-store.ts'

runMain(async () => {
  const loaded = loadConfig(configDefinition, { argv: process.argv.slice(2), env: process.env })
  if (loaded.kind === 'exit') return loaded
  const config = loaded.values
  const settings = rotationSettings(config)
  const { namespace, schedulerPods } = config
  const clock = systemClock()
  const random = Math.random
  const log = createLogger({ component: 'authority', level: config.logLevel, format: config.logFormat })
  const registry = createMetrics('authority', { withEventLoopDelay: false })
  const metrics = registry.instruments(metricDefinitions)
  let problem: string | undefined = 'the certificates have not been checked yet'

  await using cluster = connectCluster({
    access: loadKubeconfig({ path: config.kubeconfig, env: process.env, home: homedir() }),
    log,
    clock,
    random,
    qps: 0,
    userAgent: 'berth-authority',
  })
  const { client } = cluster
  if (loaded.positionals[0] === 'adopt') {
    const adopting = { client, namespace, owner: undefined, mayWrite: () => true, signal: new AbortController().signal }
    const secrets = [
      { from: config.fromServerSecret, to: config.serverSecret },
      { from: config.fromClientSecret, to: config.clientSecret },
    ]
    await adoptSecrets(secrets, { store: createSecretStore(adopting), log })
    return undefined
  }
  const stop = shutdownSignal()
  await using election = startLeaderElection({
    ...splitNamespacedName(config.lease),
    client,
    identity: leaseIdentity(),
    clock,
    random,
    log,
  })
  await using _health = await startHealthServer({
    address: config.healthAddress,
    // A replica that waits for the Lease is ready to take over.
    checks: [{ name: 'certificates', check: () => (election.stillLeader() ? problem : undefined) }],
    registry: registry.registry,
    log,
    stop,
  })
  await whileLeading(election, stop, {
    lostError: () => leaseLostError(config.lease),
    async work(signal) {
      log.info({ namespace, secrets: settings.leaves.map(({ secret }) => secret) }, 'Keeping certificates up to date')
      const mayWrite = (): boolean => election.stillLeader()
      await keepRotating(
        {
          ...settings,
          store: createSecretStore({ client, namespace, owner: config.ownerConfigMap, mayWrite, signal }),
          outdatedSchedulers: async (publishedMs) =>
            schedulerPods === undefined
              ? 0
              : await countOutdatedSchedulers({
                  client,
                  namespace,
                  labelSelector: schedulerPods,
                  publishedMs,
                  mountMs: config.mountSeconds * 1_000,
                  signal,
                }),
          now: () => clock.now(),
          checkMs: config.checkSeconds * 1_000,
          metrics,
          clock,
          log,
          onRotated: (failure) => (problem = failure === undefined ? undefined : errorText(failure)),
        },
        signal,
      )
    },
  })
  log.info({ reason: stop.reason }, 'Stopping')
  return undefined
})
