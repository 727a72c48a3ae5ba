import { systemClock } from '@berth/clock'
import { homedir } from 'node:os'
import { connectCluster, loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { loadPlugins } from '@berth/plugin-api'
import { loadConfig, watchConfigFile } from '@berth/process/config'
import { startHealthServer } from '@berth/process/health'
import { createLogger } from '@berth/process/log'
import { createMetrics } from '@berth/process/metrics'
import { runMain, shutdownSignal, untilAborted, type ExitRequest } from '@berth/process/shutdown'
import type { Node } from '@berth/types'
import { trimNode } from './plan/trim-node.ts'
import { startAdvertiser } from './advertiser.ts'
import { createAdvertiserMetrics } from './report/advertiser-metrics.ts'

import { configDefinition } from './config.ts'
import { createNodeReporter } from './report/node-reporter.ts'
import { prepareSetup } from './config/prepare-setup.ts'
import { readinessChecks } from './report/readiness-checks.ts'
import { reloadConfig } from './config/reload-config.ts'
import { selectMode, runCommand } from './run-command.ts'

async function main(): Promise<ExitRequest | void> {
  const sources = { argv: process.argv.slice(2), env: process.env }
  const loaded = loadConfig(configDefinition, sources)
  if (loaded.kind === 'exit') return loaded
  const config = loaded.values
  const mode = selectMode(config, loaded.positionals[0])

  // Standard output carries the plan, so the log goes to standard error.
  const destination = mode === 'watch' ? {} : { destination: process.stderr }
  const log = createLogger({ component: 'advertiser', level: config.logLevel, ...destination })
  const clock = systemClock()
  const random = Math.random
  const registry = createMetrics('advertiser')
  const metrics = createAdvertiserMetrics(registry)
  const plugins = await loadPlugins({ dir: config.pluginDir, kinds: ['resource-source'], builtIn: [], log })
  const dependencies = { plugins, metrics, log, clock, random }
  const setup = prepareSetup(config, dependencies)

  await using cluster = connectCluster({
    access: loadKubeconfig({ path: config.kubeconfig, context: config.context, env: process.env, home: homedir() }),
    log,
    clock,
    random,
    qps: config.kubeApiQps,
    burst: config.kubeApiBurst,
    userAgent: 'berth-advertiser',
  })
  const { client } = cluster
  const reporter = createNodeReporter({ log, metrics, recordEvent: (event) => cluster.events.record(event) })
  if (mode !== 'watch') {
    const signal = new AbortController().signal
    return await runCommand(mode, {
      client,
      setup,
      reporter,
      metrics,
      log,
      clock,
      signal,
      force: config.force,
      retryCommand: config.retryCommand,
    })
  }

  const stop = shutdownSignal()
  await using nodes = cluster.reflect<Node>(resourceRefs.nodes, { project: trimNode, isLarge: true })
  await using advertiser = startAdvertiser({ client, nodes, setup, reporter, metrics, log, clock, random })
  using _reload =
    loaded.path === undefined
      ? undefined
      : await watchConfigFile(loaded.path, {
          clock,
          log,
          onChange: () =>
            reloadConfig({ ...sources, ...dependencies, replace: (next) => advertiser.reconfigure(next) }),
        })
  await using _health = await startHealthServer({
    address: config.healthAddress,
    checks: readinessChecks({ nodes, advertiser }),
    registry: registry.registry,
    log,
    stop,
  })
  log.info({ declarations: setup.desired.declarations.length }, 'Reconciling nodes')
  await untilAborted(stop)
  log.info({ reason: stop.reason }, 'Stopping')
}

runMain(main)
