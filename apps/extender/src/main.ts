import { builtInPolicies } from '@berth/built-in-plugins'
import { systemClock } from '@berth/clock'
import { homedir } from 'node:os'
import { collectAfterSync, garbageCollector, startClusterView } from '@berth/cluster-view'
import { connectCluster, loadKubeconfig } from '@berth/k8s-client'
import { loadPlugins } from '@berth/plugin-api'
import { loadConfig } from '@berth/process/config'
import { startHealthServer } from '@berth/process/health'
import { createLogger } from '@berth/process/log'
import { createMetrics } from '@berth/process/metrics'
import { runMain, shutdownSignal, untilAborted } from '@berth/process/shutdown'
import { buildExtenderProfile } from '@berth/scheduler-config'
import { checkBindConfig } from './bind/check-bind-config.ts'
import { startBinder } from './bind/start-binder.ts'
import { configDefinition } from './config.ts'
import { createEffectHooks } from './effects/effect-hooks.ts'
import { createPreemptionReview } from './preemption/review-preemption.ts'
import { createEvaluator } from './evaluator.ts'
import { metricDefinitions } from './metrics.ts'
import { openRecording } from './recording/open-recording.ts'
import { recordVerdicts } from './recording/record-verdicts.ts'
import { startRetries } from './retries/start-retries.ts'
import { startExtenderServer } from './server.ts'
import { createBodyDiscarder } from './serving/discard-body.ts'
import { chooseServingMode } from './serving-mode.ts'

runMain(async () => {
  const loaded = loadConfig(configDefinition, { argv: process.argv.slice(2), env: process.env })
  if (loaded.kind === 'exit') return loaded
  const config = loaded.values
  const log = createLogger({ component: 'extender', level: config.logLevel, format: config.logFormat })
  const clock = systemClock()
  const random = Math.random
  const maxViewAgeMs = config.maxViewAgeSeconds * 1_000

  const servingMode = chooseServingMode(config)
  const registry = await loadPlugins({ dir: config.pluginDir, kinds: ['scheduling'], builtIn: builtInPolicies, log })
  const profile = buildExtenderProfile(config.plugins, registry, (plugin) => ({
    log: log.child({ plugin }),
    clock,
    random,
  }))
  checkBindConfig(config, profile)
  const effects = createEffectHooks(profile.effects, clock)
  const access = loadKubeconfig({ path: config.kubeconfig, env: process.env, home: homedir() })
  const metrics = createMetrics('extender', { withEventLoopDelay: false })
  const instruments = metrics.instruments(metricDefinitions)
  const stop = shutdownSignal()

  await using cluster = connectCluster({
    access,
    log,
    clock,
    random,
    qps: config.kubeApiQps,
    burst: config.kubeApiBurst,
    userAgent: 'berth-extender',
  })
  await using view = startClusterView({
    cluster,
    log,
    clock,
    maxAgeMs: maxViewAgeMs,
    configMaps: profile.framework.configMaps,
  })
  const judge = createEvaluator({
    profile,
    view,
    refuseUnsupported: config.refuseUnsupported,
    ignoredResources: new Set(config.ignoredResources),
    now: () => clock.now(),
    random,
  })
  const now = (): number => clock.now()
  const evaluator =
    config.record === undefined
      ? judge
      : recordVerdicts(judge, {
          view,
          append: openRecording(config.record, log),
          maxBytes: config.recordMaxMiB * 1_048_576,
          plugins: config.plugins,
          ignoredResources: config.ignoredResources,
          now,
          log,
        })
  const reviewPreemption = createPreemptionReview({ profile, view, hooks: effects.processPreemption, now, random })
  await using binder = config.bind
    ? startBinder({ config, cluster, view, evaluator, hooks: effects.bind, clock, random, log })
    : undefined
  await using rejectedPods =
    config.retrySignal === undefined
      ? undefined
      : startRetries({
          retrySignal: config.retrySignal,
          cluster,
          view,
          evaluator: judge,
          metrics: instruments,
          clock,
          random,
          log,
        })
  await using _server = await startExtenderServer({
    listen: config.listen,
    servingMode,
    allowedClientNames: config.allowedClientNames,
    maxConnections: config.maxConnections,
    maxConnectionAgeMs: config.maxConnectionAgeSeconds * 1_000,
    discarder: createBodyDiscarder(clock),
    limits: { maxRequestBytes: config.maxRequestMiB * 1_048_576, maxNodes: config.maxNodesPerRequest },
    evaluator,
    reviewPreemption,
    binder,
    secondLookMs: config.secondLookMs,
    rejectedPods,
    metrics: instruments,
    clock,
    random,
    log,
  })
  await using _health = await startHealthServer({
    address: config.healthAddress,
    checks: [{ name: 'cluster-view', check: evaluator.notReady }],
    registry: {
      contentType: metrics.registry.contentType,
      metrics: () => {
        instruments.viewAge.set(view.ageMs() / 1_000)
        return metrics.registry.metrics()
      },
    },
    log,
    stop,
  })
  void collectAfterSync(view, garbageCollector(), stop)
  log.info({ plugins: config.plugins.map(({ name }) => name), server: access.server }, 'Starting')
  await untilAborted(stop)
  log.info({ reason: stop.reason as unknown }, 'Stopping')
  return undefined
})
