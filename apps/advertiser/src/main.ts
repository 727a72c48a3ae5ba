import { builtInResourceSources } from '@berth/built-in-plugins/resource-sources'
import { systemClock } from '@berth/clock'
import { homedir } from 'node:os'
import { connectCluster, loadKubeconfig, resourceRefs, whileLeading } from '@berth/k8s-client'
import { loadPlugins } from '@berth/plugin-api'
import { loadConfig, watchConfigFile } from '@berth/process/config'
import { startHealthServer } from '@berth/process/health'
import { createLogger } from '@berth/process/log'
import { createMetrics } from '@berth/process/metrics'
import { runMain, shutdownSignal, untilAborted, type ExitRequest } from '@berth/process/shutdown'
import type { Node } from '@berth/types'
import { createNodeTrimmer, skippedNodeFields } from './plan/node-trimmer.ts'
import type { Advertiser } from './advertiser.ts'
import { createDeviceClasses } from './device-classes/device-classes.ts'
import { leaseLostError } from './errors.ts'
import { runEviction } from './run-eviction.ts'
import { installationLease } from './lease/installation-lease.ts'
import { joinElection } from './lease/join-election.ts'
import { waitForRivals } from './lease/wait-for-rivals.ts'
import { nodeOf } from './node-mode/check-mode.ts'
import { checkOwnNode } from './node-mode/check-own-node.ts'
import { nodeFilter } from './node-mode/node-filter.ts'
import { createAdvertiserMetrics } from './report/advertiser-metrics.ts'

import { configDefinition } from './config.ts'
import { createNodeReporter } from './report/node-reporter.ts'
import { prepareDeclarations, prepareSetup } from './config/prepare-setup.ts'
import { withDeclarations } from './config/setup.ts'
import { listDeclarations } from './objects/list-objects.ts'
import { mirrorObjects } from './objects/mirror-objects.ts'
import type { Declaration } from './plan/declaration.ts'
import { readinessChecks } from './report/readiness-checks.ts'
import { reloadConfig } from './config/reload-config.ts'
import { createHeldUnitsReader } from './sources/held-units.ts'
import { PLAN_FAILED, selectMode, runCommand } from './run-command.ts'
import { startReconciling } from './start-reconciling.ts'

/** Events about many nodes must not delay their writes. Of each node only the latest matters, and those may use a quarter. */
const EVENTS = { eventQps: 200, eventBurst: 400 }

/** As with kubectl diff, 1 means that there are changes. */
let failureCode = 1

async function main(): Promise<ExitRequest | void> {
  const sources = { argv: process.argv.slice(2), env: process.env }
  const loaded = loadConfig(configDefinition, sources)
  if (loaded.kind === 'exit') return loaded
  const config = loaded.values
  if (loaded.positionals[0] === 'evict') return await runEviction(config, process.env)
  const mode = selectMode(config, loaded.positionals[0])
  const onlyNode = nodeOf(config)
  if (mode === 'plan') failureCode = PLAN_FAILED

  // Standard output carries the plan, so the log goes to standard error.
  const destination = mode === 'watch' ? {} : { destination: process.stderr }
  const log = createLogger({
    component: 'advertiser',
    level: config.logLevel,
    format: config.logFormat,
    ...destination,
  })
  const clock = systemClock()
  const random = Math.random
  const registry = createMetrics('advertiser', { withEventLoopDelay: false })
  const metrics = createAdvertiserMetrics(registry)
  const plugins = await loadPlugins({
    dir: config.pluginDir,
    kinds: ['resource-source'],
    builtIn: builtInResourceSources,
    log,
  })

  await using cluster = connectCluster({
    access: loadKubeconfig({ path: config.kubeconfig, context: config.context, env: process.env, home: homedir() }),
    log,
    clock,
    random,
    qps: config.kubeApiQps,
    burst: config.kubeApiBurst,
    ...EVENTS,
    // Decodes a node without its images, which are most of it.
    encoding: 'protobuf',
    userAgent: 'berth-advertiser',
  })
  const { client } = cluster
  const deviceClasses = createDeviceClasses({ client, log })
  const nodeTrimmer = createNodeTrimmer((name, signal) => client.find<Node>(resourceRefs.nodes, { name }, { signal }))
  const dependencies = {
    plugins,
    metrics,
    log,
    clock,
    random,
    readHeldUnits: createHeldUnitsReader(client),
    nodeTrimmer,
    deviceClassOf: deviceClasses.classOf,
  }
  let setup = prepareSetup({ ...config, onlyNode }, dependencies)
  const reporter = createNodeReporter({ log, metrics, recordEvent: (event) => cluster.events.record(event) })
  const stop = shutdownSignal()
  const prepare = (declarations: readonly Declaration[]) => prepareDeclarations(declarations, dependencies)
  if (onlyNode !== undefined) await checkOwnNode(onlyNode, { client, signal: stop })
  if (mode !== 'watch') {
    const { owner, force, from, retryCommand, watchObjects, refuseObjects, allowedNames } = config
    if (mode !== 'prune' && mode !== 'plan-prune') {
      await deviceClasses.refresh(stop)
      if (watchObjects) {
        const listed = await listDeclarations({ client, owner, allowedNames, prepare, log, signal: stop })
        setup = withDeclarations(setup, listed)
      }
    }
    const options = { client, setup, reporter, metrics, log, clock, random, signal: stop }
    return await runCommand(mode, { ...options, force, from, retryCommand, watchObjects, refuseObjects })
  }

  const { owner } = config
  await using election = joinElection(installationLease(owner, onlyNode), { client, clock, random, log })
  await using nodes = cluster.reflect<Node>(resourceRefs.nodes, {
    ...nodeFilter(onlyNode),
    project: nodeTrimmer.trim,
    protobuf: { skips: skippedNodeFields },
    isLarge: onlyNode === undefined,
  })
  const objects = config.watchObjects ? mirrorObjects(cluster, config.allowedNames) : undefined
  let advertiser: Advertiser | undefined
  await using _health = await startHealthServer({
    address: config.healthAddress,
    checks: readinessChecks({
      election,
      nodes,
      objects: objects?.objects,
      isReconciled: () => advertiser?.isReady() ?? false,
    }),
    registry: registry.registry,
    log,
    stop,
  })
  using _reload =
    loaded.path === undefined
      ? undefined
      : await watchConfigFile(loaded.path, {
          clock,
          log,
          onChange: () =>
            reloadConfig({
              ...sources,
              ...dependencies,
              owner,
              onlyNode,
              replace: (next) => {
                setup = next
                advertiser?.reconfigure(next)
              },
            }),
        })
  const work = async (signal: AbortSignal): Promise<void> => {
    await waitForRivals(owner, { client, clock, log, onlyNode, signal })
    await deviceClasses.refresh(signal)
    const initial = setup
    await using running = await startReconciling({
      client,
      nodes,
      setup: initial,
      ...(objects !== undefined && { objects: { mirrors: objects, prepare } }),
      deviceClasses,
      mayWrite: () => election.stillLeader(),
      reporter,
      metrics,
      log,
      clock,
      random,
      signal,
      // Defined with --expose-gc, which the chart sets.
      ...(globalThis.gc !== undefined && { collectGarbage: () => globalThis.gc?.() }),
    })
    advertiser = running
    // The file may have changed while the objects were read.
    if (setup !== initial) running.reconfigure(setup)
    log.info({ declarations: setup.desired.declarations.length, owner, onlyNode }, 'Reconciling nodes')
    await untilAborted(signal)
  }
  await whileLeading(election, stop, { work, lostError: () => leaseLostError(owner) })
  log.info({ reason: stop.reason }, 'Stopping')
}

runMain(main, { failureCode: () => failureCode })
