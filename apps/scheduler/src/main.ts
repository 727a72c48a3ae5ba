import { builtInPolicies } from '@berth/built-in-plugins'
import { systemClock } from '@berth/clock'
import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isMainThread, workerData } from 'node:worker_threads'
import { collectAfterSync, garbageCollector, mirrorPodGroups, startClusterView } from '@berth/cluster-view'
import { connectCluster, loadKubeconfig } from '@berth/k8s-client'
import { loadPlugins, type PluginRegistry } from '@berth/plugin-api'
import { createLogger, resolveLogFormat } from '@berth/process/log'
import { createMetrics } from '@berth/process/metrics'
import type { ExitRequest } from '@berth/process/config'
import { runMain, shutdownSignal } from '@berth/process/shutdown'
import { buildProfiles, configMapsOf } from '@berth/scheduler-config'
import { joinElection } from './leader-election.ts'
import { createExtenderClient } from './extenders/extender-client.ts'
import { createEventMetrics } from './metrics/attempt-metrics.ts'
import { setGaugesAtScrape } from './metrics/gauges-at-scrape.ts'
import { metricDefinitions } from './metrics/metric-definitions.ts'
import { reportUnreadablePods } from './report/unreadable-pods.ts'
import { createScheduler } from './scheduler.ts'
import { effectiveConfiguration, loadSettings, printSettings } from './config/settings.ts'
import { createDebugPages } from './serving/debug-pages.ts'
import { createHookMark } from './watchdog/hook-mark.ts'
import { runWatchdog, startWatchdog, type WatchdogData } from './watchdog/watchdog.ts'
import { startServers } from './serving/start-servers.ts'

// The watchdog runs this file, too, so that an app stays one file.
if (isMainThread) runMain(main)
else await runWatchdog(workerData as WatchdogData)

async function main(): Promise<ExitRequest | undefined> {
  const settings = loadSettings({ argv: process.argv.slice(2), env: process.env, program: process.argv[1] })
  if (settings.kind === 'exit') return settings
  const { flags } = settings
  const log = createLogger({ component: 'scheduler', level: settings.logLevel, format: flags.logFormat })
  for (const setting of settings.idle) log.info({ ...setting }, 'Configuration key has no effect')
  const clock = systemClock()
  const random = Math.random
  const maxViewAgeMs = flags.maxViewAgeSeconds * 1_000

  const registry = await loadPlugins({
    dir: flags.pluginDir,
    modules: flags.pluginModules,
    kinds: ['scheduling'],
    builtIn: builtInPolicies,
    log,
  })
  const hookMark = createHookMark()
  const marked: PluginRegistry = {
    ...registry,
    createScheduling: (name, args, env) => hookMark.mark(name, registry.createScheduling(name, args, env)),
  }
  const profiles = buildProfiles(settings, marked, (plugin) => ({ log: log.child({ plugin }), clock, random }))
  if (flags.writeConfigTo !== undefined) {
    writeFileSync(flags.writeConfigTo, printSettings(settings))
    return { kind: 'exit', code: 0, text: `Wrote the configuration to ${flags.writeConfigTo}.\n` }
  }
  if (flags.validate) return { kind: 'exit', code: 0, text: 'The configuration is valid.\n' }
  const extenders = settings.extenders.map((entry) => createExtenderClient(entry, log))
  const access = loadKubeconfig({ path: settings.kubeconfig, env: process.env, home: homedir() })
  const metrics = createMetrics('scheduler')
  const instruments = metrics.instruments(metricDefinitions)
  const stop = shutdownSignal()

  const hasContributed = profiles.some(({ framework }) => framework.plugins.some(({ plugin }) => plugin.isContributed))
  await using _watchdog = hasContributed
    ? startWatchdog(
        import.meta.url,
        {
          buffer: hookMark.buffer,
          hangMs: settings.lease.renewDeadlineMs / 2,
          kubeconfig: settings.kubeconfig,
          logLevel: settings.logLevel,
          logFormat: resolveLogFormat(flags.logFormat),
        },
        log,
      )
    : undefined
  await using cluster = connectCluster({
    access,
    log,
    clock,
    random,
    qps: settings.qps,
    burst: settings.burst,
    encoding: settings.encoding,
    userAgent: 'berth-scheduler',
    observeEvents: createEventMetrics(instruments),
  })
  await using terms = await joinElection(settings.lease, { client: cluster.client, clock, random, log })
  await terms.whenTried(stop)
  const names = profiles.map((profile) => profile.schedulerName)
  const onUnreadablePod = reportUnreadablePods({
    events: cluster.events,
    count: () => instruments.unreadablePods.inc(),
    schedulerNames: names,
    log,
  })
  await using view = startClusterView({
    cluster,
    log,
    clock,
    maxAgeMs: maxViewAgeMs,
    configMaps: configMapsOf(profiles),
    onUnreadablePod,
  })
  const onUnreadable = (): void => instruments.unreadablePodGroups.inc()
  await using podGroups = mirrorPodGroups({ cluster, clock, random, log, onUnreadable })
  void collectAfterSync(view, garbageCollector(), stop)
  await using scheduler = createScheduler({
    cluster,
    view,
    podGroups,
    profiles,
    extenders,
    metrics: instruments,
    backoff: settings.backoff,
    clock,
    random,
    log,
  })
  await using _servers = await startServers(settings, {
    access,
    pages: createDebugPages({
      configuration: effectiveConfiguration(settings),
      scheduler,
      view,
      profiles,
      clock,
      random,
    }),
    checks: [{ name: 'cluster-view', check: scheduler.notReady }],
    registry: setGaugesAtScrape(metrics.registry, instruments, {
      scheduler,
      view,
      events: cluster.events,
      mayWrite: () => terms.mayWrite(),
    }),
    clock,
    log,
    stop,
  })

  log.info({ schedulerNames: names, server: access.server, qps: settings.qps, extenders: extenders.length }, 'Starting')
  await terms.run(stop, async (signal, term) => {
    log.info({ schedulerNames: names }, 'Scheduling')
    await scheduler.run(signal, term)
  })
  log.info({ reason: stop.reason as unknown }, 'Stopping')
  return undefined
}
