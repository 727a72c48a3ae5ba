import { pause } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import {
  DEVICE_PLUGIN_API_VERSION,
  DEVICE_PLUGIN_TYPE,
  GET_INFO_TIMEOUT_MS,
  WatcherRegistrationClient,
  type PluginInfo,
} from '@berth/kubelet-api'
import { credentials } from '@grpc/grpc-js'
import type { Clock, Logger } from '@berth/types'
import { watch, type FSWatcher } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { registrationError, type ConnectPlugin } from './registration-server.ts'
import { unaryCall } from './unary-call.ts'

/** Period of the directory scan, which does not rely on inotify. It is the period of the kubelet's reconciler. */
const RESCAN_MS = 1000
const MAX_RETRY_MS = 120_000

interface WatchedPlugin {
  /** Inode and birth time: a recreated socket is another plugin. */
  readonly identity: string
  readonly stop: AbortController
  connection?: { close(): void }
}

/**
 * Registers every plugin with a socket below `dir`: GetInfo, connect, NotifyRegistrationStatus. Retries after 1 s, 2 s,
 * 4 s, … Deregisters plugins whose socket disappears.
 *
 * @see kubernetes/kubernetes pkg/kubelet/pluginmanager (v1.36)
 */
export async function startPluginWatcher(options: {
  readonly dir: string
  readonly connect: ConnectPlugin
  readonly clock: Clock
  readonly log: Logger
}): Promise<AsyncDisposable> {
  const { dir, connect, clock, log } = options
  const watched = new Map<string, WatchedPlugin>()
  const stop = new AbortController()
  let wake = (): void => {}
  await mkdir(dir, { recursive: true })

  async function findSockets(): Promise<ReadonlyMap<string, string>> {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true })
    const found = new Map<string, string>()
    for (const entry of entries.filter((each) => each.isSocket() && !each.name.startsWith('.'))) {
      const path = join(entry.parentPath, entry.name)
      const stats = await stat(path, { bigint: true }).catch(() => undefined)
      if (stats !== undefined) found.set(path, `${stats.ino}/${stats.birthtimeNs}`)
    }
    return found
  }

  function deregister(path: string, plugin: WatchedPlugin): void {
    watched.delete(path)
    plugin.stop.abort()
    plugin.connection?.close()
  }

  async function reconcile(): Promise<void> {
    const found = await findSockets()
    for (const [path, plugin] of watched) if (found.get(path) !== plugin.identity) deregister(path, plugin)
    for (const [path, identity] of found) {
      if (watched.has(path)) continue
      const plugin: WatchedPlugin = { identity, stop: new AbortController() }
      watched.set(path, plugin)
      void registerWithRetry(path, plugin)
    }
  }

  async function registerWithRetry(path: string, plugin: WatchedPlugin): Promise<void> {
    for (let delayMs = 1000; !plugin.stop.signal.aborted; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
      try {
        await register(path, plugin)
        return
      } catch (error) {
        log.warn({ err: error, path }, 'Plugin registration failed')
        await pause(clock, delayMs, plugin.stop.signal)
      }
    }
  }

  async function register(path: string, plugin: WatchedPlugin): Promise<void> {
    const client = new WatcherRegistrationClient(`unix://${path}`, credentials.createInsecure(), {
      'grpc.enable_channelz': 0,
    })
    const notify = async (pluginRegistered: boolean, error: string): Promise<void> => {
      const call = client.notifyRegistrationStatus.bind(client)
      await unaryCall(call, { pluginRegistered, error }, { clock, timeoutMs: GET_INFO_TIMEOUT_MS })
    }
    try {
      const call = client.getInfo.bind(client)
      const info = await unaryCall(call, {}, { clock, timeoutMs: GET_INFO_TIMEOUT_MS })
      try {
        const problem = pluginInfoError(info)
        if (problem !== undefined) throw new Error(problem)
        const connected = await connect(info.name, info.endpoint === '' ? path : info.endpoint)
        plugin.connection = connected.connection
        if (plugin.stop.signal.aborted) connected.connection.close()
        else connected.follow()
      } catch (error) {
        await notify(false, errorText(error))
        throw error
      }
      await notify(true, '')
    } finally {
      client.close()
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const woken = new AbortController()
      wake = () => woken.abort()
      const either = AbortSignal.any([woken.signal, stop.signal])
      await reconcile().catch((error: unknown) => log.warn({ err: error, dir }, 'Plugin directory cannot be read'))
      await pause(clock, RESCAN_MS, either)
    }
  }

  let watcher: FSWatcher | undefined
  try {
    watcher = watch(dir, { recursive: true }, () => wake())
    watcher.on('error', () => watcher?.close())
  } catch (error) {
    log.debug({ err: error, dir }, 'No file notifications, scanning only')
  }
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      watcher?.close()
      stop.abort()
      for (const plugin of watched.values()) plugin.stop.abort()
      await running
    },
  }
}

function pluginInfoError(info: PluginInfo): string | undefined {
  if (info.type !== DEVICE_PLUGIN_TYPE) return `no handler registered for plugin type: ${info.type}`
  const version = info.supportedVersions.includes(DEVICE_PLUGIN_API_VERSION)
    ? DEVICE_PLUGIN_API_VERSION
    : info.supportedVersions.join(',')
  return registrationError({ version, resourceName: info.name })
}
