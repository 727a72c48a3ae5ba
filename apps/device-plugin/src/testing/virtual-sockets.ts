import type { VirtualProcess } from '@berth/clock/testing'
import type { Random } from '@berth/types'
import { createPluginHandlers, type PluginHandlers } from '../plugin-server/plugin-handlers.ts'
import type { NodeSockets } from '../registration/node-sockets.ts'

/** A change is noticed after up to this time: inotify may lose it, and the plugin looks every second. */
const MAX_NOTICE_MS = 1_000

/** A socket of a plugin, or that of the kubelet, which has no handlers. */
export interface SocketFile {
  readonly identity: string
  readonly resourceName?: string
  readonly handlers?: PluginHandlers
  readonly process?: VirtualProcess
}

/** The sockets of a node in memory. */
export interface SocketDirectory {
  put(path: string, file: Omit<SocketFile, 'identity'>): void
  remove(path: string): void
  get(path: string): SocketFile | undefined
  paths(): readonly string[]
  /** Calls the listener with the path of every change. The return value ends that. */
  watch(listener: (path: string) => void): () => void
}

/** Creates an empty directory. */
export function createSocketDirectory(): SocketDirectory {
  const files = new Map<string, SocketFile>()
  const listeners = new Set<(path: string) => void>()
  let next = 0
  const notify = (path: string): void => {
    for (const listener of listeners) listener(path)
  }
  return {
    put(path, file) {
      files.set(path, { ...file, identity: String(++next) })
      notify(path)
    },
    remove(path) {
      if (files.delete(path)) notify(path)
    },
    get: (path) => files.get(path),
    paths: () => [...files.keys()],
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Returns the sockets of a node as one plugin process sees them. */
export function socketsOf(
  process: VirtualProcess,
  options: {
    readonly directory: SocketDirectory
    readonly register: (endpoint: string) => Promise<void>
    readonly random: Random
  },
): NodeSockets {
  const { directory, register, random } = options
  const { clock } = process
  return {
    async startServer(serverOptions) {
      const { socketPath } = serverOptions
      const handlers = createPluginHandlers(serverOptions)
      directory.put(socketPath, { resourceName: serverOptions.resourceName, handlers, process })
      const own = directory.get(socketPath)
      return {
        socketPath,
        async [Symbol.asyncDispose]() {
          if (!process.isAlive()) return
          handlers.endStreams()
          if (directory.get(socketPath) === own) directory.remove(socketPath)
        },
      }
    },
    register: ({ endpoint }) => register(endpoint),
    async removeStale(_, resourceName) {
      const isStale = (path: string): boolean => {
        const file = directory.get(path)
        return file?.process?.isAlive() === false && file.resourceName === resourceName
      }
      const stale = directory.paths().filter(isStale)
      for (const path of stale) directory.remove(path)
      return stale
    },
    identity: async (path) => directory.get(path)?.identity,
    watch({ path, known, onChange }) {
      let seen = known
      let isDisposed = false
      const compare = (): void => {
        const identity = directory.get(path)?.identity
        if (isDisposed || identity === seen) return
        seen = identity
        onChange(identity)
      }
      const look = (): void => void clock.setTimer(random() * MAX_NOTICE_MS, compare)
      const end = directory.watch((changed) => {
        if (changed === path) look()
      })
      look()
      return {
        [Symbol.dispose]() {
          isDisposed = true
          end()
        },
      }
    },
  }
}
