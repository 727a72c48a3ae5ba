import { builtInDeviceSources } from '@berth/built-in-plugins/device-sources'
import { sleep, systemClock } from '@berth/clock'
import { KUBELET_SOCKET_NAME } from '@berth/kubelet-api'
import { loadPlugins } from '@berth/plugin-api'
import { loadConfig, watchConfigFile } from '@berth/process/config'
import { startHealthServer } from '@berth/process/health'
import { createLogger } from '@berth/process/log'
import { createMetrics } from '@berth/process/metrics'
import { runMain, shutdownSignal, untilAborted, type ExitRequest } from '@berth/process/shutdown'
import { silentLogger } from '@berth/types'
import { join } from 'node:path'
import { isNodeCommand, runNodeCommand } from './commands/run-node-command.ts'
import { configDefinition } from './config.ts'
import { NodeHelperError } from './errors.ts'
import { devicesPage } from './debug/devices-page.ts'
import { createDeviceIds } from './devices/device-ids.ts'
import { formatDiscoveryJson, formatDiscoveryTable } from './discover.ts'
import { offerOnce } from './discovery/offer-once.ts'
import { metricDefinitions } from './metrics.ts'
import { createNodeHelperClient } from './node-helper/node-helper-client.ts'
import { runNodeHelper } from './node-helper/run-node-helper.ts'
import { reloadConfig } from './reload-config.ts'
import { startResourcePlugin } from './resource-plugin.ts'
import { createResourceSet, LAST_LIST_MS, settingsOf } from './resource-set.ts'
import { checkSocketDirectory } from './registration/socket-directory.ts'
import { countSource } from './sources/count/count.ts'
import { pathGlobSource } from './sources/path-glob/path-glob.ts'
import { standBy } from './registration/stand-by.ts'
import { createSources } from './create-sources.ts'
import { createUsageWatch } from './usage/watch-usage.ts'
import { isUninstallAnnounced, watchAnnouncement } from './uninstall/watch-announcement.ts'

/**
 * Threads that serve the files of the process. Each file that does not answer, of a dead network file system or a wedged
 * driver, blocks one until it answers. Node's default is 4.
 */
const FILE_THREADS = '16'

async function main(): Promise<ExitRequest | void> {
  // libuv reads it when the first file is opened.
  process.env['UV_THREADPOOL_SIZE'] ??= FILE_THREADS
  const origin = { argv: process.argv.slice(2), env: process.env }
  const loaded = loadConfig(configDefinition, origin)
  if (loaded.kind === 'exit') return loaded
  const config = loaded.values
  const clock = systemClock()
  const [command, resourceName = ''] = loaded.positionals
  if (isNodeCommand(command)) {
    return await runNodeCommand(command, { directory: config.pluginsRegistry, resourceName, env: process.env, clock })
  }
  if (command === 'node-helper') {
    await runNodeHelper(config, clock)
    return undefined
  }
  const isDryRun = config.dryRun || command === 'discover' || command === 'validate'

  // Standard output carries the discovery result, so the log goes to standard error.
  const destination = isDryRun ? { destination: process.stderr } : {}
  const log = createLogger({
    component: 'device-plugin',
    level: config.logLevel,
    format: config.logFormat,
    ...destination,
  })
  const random = Math.random
  const plugins = await loadPlugins({
    dir: config.pluginDir,
    kinds: ['device-source'],
    builtIn: [pathGlobSource, countSource, ...builtInDeviceSources],
    log,
  })
  const resources = createSources(config.resources, plugins, {
    log,
    clock,
    random,
    // discover and validate do not contact it.
    hasNodeHelper: config.nodeHelper !== undefined || isDryRun,
  })
  if (command === 'validate') {
    const lines = resources.map(({ entry }) => `${entry.name}: ${entry.source}\n`)
    return { kind: 'exit', code: 0, text: `${lines.join('')}valid resources: ${resources.length}\n` }
  }
  if (isDryRun) {
    // The result says everything that the table would log.
    const found = await offerOnce(resources, { clock, log: silentLogger })
    const text = config.output === 'json' ? formatDiscoveryJson(found) : formatDiscoveryTable(found)
    process.stdout.write(text)
    return { kind: 'exit', code: found.some(({ problem }) => problem !== undefined) ? 1 : 0, text: '' }
  }

  if (config.podResources && config.nodeHelper === undefined) {
    throw new NodeHelperError('read which pod holds which device: podResources needs the node helper', {
      hint: 'Set --node-helper, or remove podResources.',
    })
  }
  const isClassic = config.registration === 'classic'
  const directory = isClassic
    ? { path: config.devicePluginDir, flag: '--device-plugin-dir' }
    : { path: config.pluginsRegistry, flag: '--plugins-registry' }
  await checkSocketDirectory(directory)
  const stop = shutdownSignal()
  // At rest, the process should hardly ever wake.
  const metrics = createMetrics('device-plugin', { withEventLoopDelay: false })
  const instruments = metrics.instruments(metricDefinitions)

  await using parts = new AsyncDisposableStack()
  const deviceIds = createDeviceIds()
  const nodeHelper = config.nodeHelper === undefined ? undefined : createNodeHelperClient(config.nodeHelper, clock)
  const onStandby = (isWaiting: boolean): void => instruments.standingBy.set(Number(isWaiting))
  const turn = config.standby ? standBy(directory, { onStandby, clock, log, signal: stop }) : undefined
  const offered = createResourceSet({
    clock,
    log,
    start: (resource) =>
      startResourcePlugin({
        resourceName: resource.entry.name,
        ...settingsOf(resource),
        directory,
        ...(isClassic && { kubeletSocket: join(directory.path, KUBELET_SOCKET_NAME) }),
        ...(turn !== undefined && { turn }),
        deviceIds,
        nodeHelper,
        metrics: instruments,
        clock,
        random,
        log: log.child({ plugin: resource.entry.source }),
      }),
  })
  parts.use(offered)
  await offered.apply(resources)
  if (loaded.path !== undefined) {
    const dependencies = {
      origin,
      current: config,
      plugins,
      resources: offered,
      metrics: instruments,
      log,
      clock,
      random,
    }
    // One after the other, because a change may come while the previous one is applied.
    let reloading = Promise.resolve()
    const onChange = (): void => void (reloading = reloading.then(() => reloadConfig(dependencies)))
    parts.use(await watchConfigFile(loaded.path, { onChange, clock, log }))
  }
  const usage =
    nodeHelper === undefined || !config.podResources
      ? undefined
      : createUsageWatch({
          nodeHelper,
          resourceNames: () => offered.plugins().map((plugin) => plugin.resourceName),
          onUsage: (held, askedAtMs) => offered.hold(held, askedAtMs),
          metrics: instruments,
          clock,
          random,
          log,
        })
  void usage?.run(stop)
  const withdraw = (isWithdrawn: boolean): void => {
    log.info({ isWithdrawn }, isWithdrawn ? 'Uninstall announced: withdrawing all devices' : 'Offering devices again')
    offered.withdraw(isWithdrawn)
  }
  const { uninstallFile: file } = config
  if (file !== undefined) void watchAnnouncement({ file, clock, random, onChange: withdraw, signal: stop })
  await using _health = await startHealthServer({
    address: config.healthAddress,
    get checks() {
      return offered.plugins().flatMap((resource) => [
        { name: resource.resourceName, check: () => resource.problem() },
        // A restart helps when the process does not answer, but not when the kubelet refuses the registration.
        {
          name: `${resource.resourceName} socket`,
          endpoints: ['livez'],
          check: (signal: AbortSignal) => resource.socketProblem(signal),
        } as const,
      ])
    },
    registry: metrics.registry,
    ...(config.remoteDebug && { authorize: () => undefined }),
    pages: new Map([
      [
        '/debug/devices',
        devicesPage(
          () => offered.plugins(),
          (name, id) => usage?.current().holders(name, id) ?? [],
        ),
      ],
    ]),
    log,
    stop,
  })
  log.info({ resources: config.resources.map(({ name }) => name) }, 'Serving devices')
  await untilAborted(stop)
  log.info({ reason: stop.reason }, 'Stopping')
  // The signal may come before the next look at the file.
  if (file !== undefined && !offered.isWithdrawn() && (await isUninstallAnnounced(file, clock.now()))) {
    withdraw(true)
    // The kubelet drops a plugin whose socket disappears, also when it has not read the last list yet.
    await sleep(clock, LAST_LIST_MS)
  }
}

runMain(main)
