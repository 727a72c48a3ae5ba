import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig, resourceRefs, whileLeading } from '@berth/k8s-client'
import { startHealthServer } from '@berth/process/health'
import { createLogger } from '@berth/process/log'
import { createMetrics } from '@berth/process/metrics'
import { shutdownSignal } from '@berth/process/shutdown'
import { splitNamespacedName, type Pod } from '@berth/types'
import { homedir } from 'node:os'
import type { AdvertiserConfig } from './config.ts'
import { leaseLostError, noResourcesError } from './errors.ts'
import { joinElection } from './lease/join-election.ts'
import { leaseCheck, mirrorChecks } from './report/readiness-checks.ts'
import { evictionMetricDefinitions } from './metrics.ts'
import { createDeviceOutages } from './evict/device-outages.ts'
import { createEvictionReporter } from './evict/eviction-reporter.ts'
import { evictPods } from './evict/evict-pods.ts'
import { createHealthReports } from './evict/health-reports.ts'
import { trimPod } from './evict/trim-pod.ts'
import { createUnhealthyPods } from './evict/unhealthy-pods.ts'

/**
 * Runs the command `evict` until the process is stopped.
 *
 * @throws ConfigError BERTH_ADVERTISER_CONFIG_EVICTION if no resource is configured
 * @throws AdvertiseError BERTH_ADVERTISER_LEASE_LOST
 */
export async function runEviction(config: AdvertiserConfig, env: NodeJS.ProcessEnv): Promise<void> {
  const { eviction } = config
  if (eviction.resources.length === 0) throw noResourcesError()
  const resources = new Set(eviction.resources)
  const dryRun = eviction.dryRun || config.dryRun
  const clock = systemClock()
  const random = Math.random
  const log = createLogger({ component: 'advertiser', level: config.logLevel, format: config.logFormat })
  const registry = createMetrics('advertiser', { withEventLoopDelay: false })
  const metrics = registry.instruments(evictionMetricDefinitions)
  const stop = shutdownSignal()

  await using cluster = connectCluster({
    access: loadKubeconfig({ path: config.kubeconfig, context: config.context, env, home: homedir() }),
    log,
    clock,
    random,
    qps: config.kubeApiQps,
    burst: config.kubeApiBurst,
    userAgent: 'berth-eviction',
  })
  const { client } = cluster
  const { gitVersion } = await cluster.serverVersion({ signal: stop })
  await using election = joinElection(splitNamespacedName(eviction.lease), { client, clock, random, log })
  const mayWrite = (): boolean => election.stillLeader()
  await using pods = cluster.reflect<Pod>(resourceRefs.pods, { project: trimPod, isLarge: true })
  const reports = createHealthReports({ resources, gitVersion })
  await using _health = await startHealthServer({
    address: config.healthAddress,
    checks: [
      leaseCheck(election),
      ...mirrorChecks('pod', pods),
      { name: 'device-health', check: () => reports.problem(clock.monotonic()) },
    ],
    registry: registry.registry,
    log,
    stop,
  })
  await whileLeading(election, stop, {
    lostError: () => leaseLostError(eviction.lease),
    async work(signal) {
      log.info({ resources: eviction.resources, dryRun }, 'Watching for unhealthy devices')
      await evictPods(
        {
          client,
          pods,
          unhealthy: createUnhealthyPods({ resources, limitMs: eviction.afterSeconds * 1_000 }),
          reports,
          outages: createDeviceOutages({ resources, maxUnhealthyPercent: eviction.maxUnhealthyPercent }),
          intervalMs: 60_000 / eviction.maxPerMinute,
          dryRun,
          mayWrite,
          report: createEvictionReporter({
            log,
            metrics,
            recordEvent: (event) => cluster.events.record(event),
            mayWrite,
          }),
          metrics,
          clock,
          random,
          log,
        },
        signal,
      )
    },
  })
  log.info({ reason: stop.reason }, 'Stopping')
}
