import { systemClock } from '@berth/clock'
import { KUBELET_SOCKET_NAME } from '@berth/kubelet-api'
import { loadPlugins } from '@berth/plugin-api'
import { loadConfig } from '@berth/process/config'
import { startHealthServer } from '@berth/process/health'
import { createLogger } from '@berth/process/log'
import { createMetrics } from '@berth/process/metrics'
import { runMain, shutdownSignal, untilAborted, type ExitRequest } from '@berth/process/shutdown'
import { join } from 'node:path'
import { isNodeCommand, runNodeCommand } from './commands/run-node-command.ts'
import { configDefinition } from './config.ts'
import { devicesPage } from './debug/devices-page.ts'
import { createDeviceIds } from './devices/device-ids.ts'
import { discoverOnce, formatDiscoveryJson, formatDiscoveryTable } from './discover.ts'
import { createProbes } from './health/create-probes.ts'
import { metricDefinitions } from './metrics.ts'
import { startResourcePlugin } from './resource-plugin.ts'
import { checkSocketDirectory } from './registration/socket-directory.ts'
import { countSource } from './sources/count/count.ts'
import { pathGlobSource } from './sources/path-glob/path-glob.ts'
import { createSources } from './create-sources.ts'
import { isUninstallAnnounced, watchAnnouncement } from './uninstall/watch-announcement.ts'

async function main(): Promise<ExitRequest | void> {
  const loaded = loadConfig(configDefinition, { argv: process.argv.slice(2), env: process.env })
  if (loaded.kind === 'exit') return loaded
  const config = loaded.values
  const clock = systemClock()
  const [command, resourceName = ''] = loaded.positionals
  if (isNodeCommand(command)) {
    return await runNodeCommand(command, { directory: config.pluginsRegistry, resourceName, env: process.env, clock })
  }
  const isDryRun = config.dryRun || command === 'discover'

  // Standard output carries the discovery result, so the log goes to standard error.
  const destination = isDryRun ? { destination: process.stderr } : {}
  const log = createLogger({ component: 'device-plugin', level: config.logLevel, ...destination })
  const random = Math.random
  const plugins = await loadPlugins({
    dir: config.pluginDir,
    kinds: ['device-source'],
    builtIn: [pathGlobSource, countSource],
    log,
  })
  const resources = createSources(config.resources, plugins, { log, clock, random })
  if (isDryRun) {
    const found = await Promise.all(resources.map(({ entry, source }) => discoverOnce(entry.name, source, clock)))
    const text = config.output === 'json' ? formatDiscoveryJson(found) : formatDiscoveryTable(found)
    process.stdout.write(text)
    return { kind: 'exit', code: found.some(({ problem }) => problem !== undefined) ? 1 : 0, text: '' }
  }

  const isClassic = config.registration === 'classic'
  const directory = isClassic
    ? { path: config.devicePluginDir, flag: '--device-plugin-dir' }
    : { path: config.pluginsRegistry, flag: '--plugins-registry' }
  await checkSocketDirectory(directory)
  const stop = shutdownSignal()
  const metrics = createMetrics('device-plugin')
  const instruments = metrics.instruments(metricDefinitions)

  await using parts = new AsyncDisposableStack()
  const deviceIds = createDeviceIds()
  const offered = resources.map(({ entry, source }) =>
    startResourcePlugin({
      resourceName: entry.name,
      source,
      directory,
      ...(isClassic && { kubeletSocket: join(directory.path, KUBELET_SOCKET_NAME) }),
      keepMissingMs: entry.keepMissingSeconds * 1000,
      deviceIds,
      probeMs: entry.probeSeconds * 1000,
      probes: createProbes(entry.health),
      allocationPolicy: entry.allocationPolicy,
      metrics: instruments,
      clock,
      random,
      log: log.child({ plugin: entry.source }),
    }),
  )
  // In parallel, because each may need a second to end its calls.
  parts.defer(async () => {
    await Promise.all(offered.map((resource) => resource[Symbol.asyncDispose]()))
  })
  const withdraw = (isWithdrawn: boolean): void => {
    log.info({ isWithdrawn }, isWithdrawn ? 'Uninstall announced: withdrawing all devices' : 'Offering devices again')
    for (const resource of offered) resource.withdraw(isWithdrawn)
  }
  const { uninstallFile: file } = config
  if (file !== undefined) void watchAnnouncement({ file, clock, random, onChange: withdraw, signal: stop })
  await using _health = await startHealthServer({
    address: config.healthAddress,
    checks: offered.flatMap((resource) => [
      { name: resource.resourceName, check: () => resource.problem() },
      // A restart helps when the process does not answer, but not when the kubelet refuses the registration.
      {
        name: `${resource.resourceName} socket`,
        endpoints: ['livez'],
        check: (signal: AbortSignal) => resource.socketProblem(signal),
      } as const,
    ]),
    registry: metrics.registry,
    pages: new Map([['/debug/devices', devicesPage(() => offered)]]),
    log,
    stop,
  })
  log.info({ resources: offered.map(({ resourceName }) => resourceName) }, 'Serving devices')
  await untilAborted(stop)
  log.info({ reason: stop.reason }, 'Stopping')
  // The signal may come before the next look at the file.
  if (file !== undefined && (await isUninstallAnnounced(file, clock.now()))) withdraw(true)
}

runMain(main)
