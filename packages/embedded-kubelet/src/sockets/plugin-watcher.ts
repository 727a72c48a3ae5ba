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
import { refusalOf, type Connect } from './registration-server.ts'
import { unaryCall } from './unary-call.ts'

/** How often the directory is read whatever inotify says: the period of the kubelet's reconciler. */
const RESCAN_MS = 1000
const MAX_RETRY_MS = 120_000

interface Seen {
  /** Inode and birth time: a socket that was made anew is another plugin. */
  readonly identity: string
  readonly stop: AbortController
  connection?: { close(): void }
}

/**
 * Registers every socket below `dir`: GetInfo, connect, NotifyRegistrationStatus; a failed attempt is repeated after
 * 1 s, 2 s, 4 s, … A socket that vanishes is deregistered.
 *
 * @see kubernetes/kubernetes pkg/kubelet/pluginmanager (v1.36)
 */
export async function startPluginWatcher(options: {
  readonly dir: string
  readonly connect: Connect
  readonly clock: Clock
  readonly log: Logger
}): Promise<AsyncDisposable> {
  const { dir, connect, clock, log } = options
  const seen = new Map<string, Seen>()
  const stop = new AbortController()
  let wake = (): void => {}
  await mkdir(dir, { recursive: true })

  async function sockets(): Promise<ReadonlyMap<string, string>> {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true })
    const found = new Map<string, string>()
    for (const entry of entries.filter((each) => each.isSocket() && !each.name.startsWith('.'))) {
      const path = join(entry.parentPath, entry.name)
      const facts = await stat(path, { bigint: true }).catch(() => undefined)
      if (facts !== undefined) found.set(path, `${facts.ino}/${facts.birthtimeNs}`)
    }
    return found
  }

  function drop(path: string, plugin: Seen): void {
    seen.delete(path)
    plugin.stop.abort()
    plugin.connection?.close()
  }

  async function reconcile(): Promise<void> {
    const found = await sockets()
    for (const [path, plugin] of seen) if (found.get(path) !== plugin.identity) drop(path, plugin)
    for (const [path, identity] of found) {
      if (seen.has(path)) continue
      const plugin: Seen = { identity, stop: new AbortController() }
      seen.set(path, plugin)
      void keepTrying(path, plugin)
    }
  }

  async function keepTrying(path: string, plugin: Seen): Promise<void> {
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

  async function register(path: string, plugin: Seen): Promise<void> {
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
        const refusal = refusalOfInfo(info)
        if (refusal !== undefined) throw new Error(refusal)
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
      for (const plugin of seen.values()) plugin.stop.abort()
      await running
    },
  }
}

function refusalOfInfo(info: PluginInfo): string | undefined {
  if (info.type !== DEVICE_PLUGIN_TYPE) return `no handler registered for plugin type: ${info.type}`
  const version = info.supportedVersions.includes(DEVICE_PLUGIN_API_VERSION)
    ? DEVICE_PLUGIN_API_VERSION
    : info.supportedVersions.join(',')
  return refusalOf({ version, resourceName: info.name })
}
