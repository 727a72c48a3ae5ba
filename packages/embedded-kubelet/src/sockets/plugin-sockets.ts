import type { Clock, Logger, Pod } from '@berth/types'
import type { DeviceManager } from '../devices/device-manager.ts'
import type { KubeletDirs } from './kubelet-dirs.ts'
import { connectPlugin, type PluginConnection } from './plugin-connection.ts'
import { startPluginWatcher } from './plugin-watcher.ts'
import { servePodResources } from './pod-resources-server.ts'
import { serveRegistration, type ConnectPlugin } from './registration-server.ts'

/** The sockets of one run of the kubelet. */
export type PluginSockets = AsyncDisposable

/** Serves registration and pod resources, and watches for plugin sockets. */
export async function startPluginSockets(options: {
  readonly dirs: KubeletDirs
  readonly devices: DeviceManager
  readonly clock: Clock
  readonly log: Logger
  /** Whether the end of an old stream closes the newest connection of the resource, as in kubelets up to 1.36. */
  readonly hasStreamRace: boolean
  /** Returns the pods that are bound to the node. */
  readonly pods: () => readonly Pod[]
}): Promise<PluginSockets> {
  const { dirs, devices, clock, log, hasStreamRace, pods } = options
  await using parts = new AsyncDisposableStack()
  const connections = new Set<PluginConnection>()
  parts.defer(() => {
    for (const connection of connections) connection.close()
  })

  const connect: ConnectPlugin = async (resourceName, socketPath) => {
    const onClosed = (connection: PluginConnection): void => {
      connections.delete(connection)
      if (!hasStreamRace) return
      for (const other of connections) if (other.resourceName === resourceName) other.close()
    }
    const plugin = await connectPlugin({ socketPath, resourceName, devices, clock, log, onClosed })
    connections.add(plugin.connection)
    log.info({ resourceName, socketPath }, 'Device plugin registered')
    return plugin
  }
  parts.use(await serveRegistration(dirs.devicePlugins, connect))
  parts.use(await servePodResources(dirs.podResources, devices, pods))
  parts.use(await startPluginWatcher({ dir: dirs.pluginsRegistry, connect, clock, log }))
  const started = parts.move()
  return { [Symbol.asyncDispose]: () => started.disposeAsync() }
}
