import { createPluginRegistry, type BerthPlugin } from '@berth/plugin-api'
import { silentLogger, type Allocation, type Clock, type Device } from '@berth/types'
import { setImmediate } from 'node:timers/promises'
import { SCAN_TIMEOUT_MS } from '../scan/scan-loop.ts'

/** A device source under virtual time. Disposing it ends its discovery. */
export interface FollowedSource extends AsyncDisposable {
  /** Returns the next inventory. The waits between two scans take no time. */
  next(): Promise<readonly Device[]>
  /** Returns what a container gets with devices of the last inventory. */
  allocate(...ids: readonly string[]): Promise<Allocation>
}

/** Creates a source as the device plugin does, with checked arguments and results. */
export function followSource(
  plugin: BerthPlugin,
  { args, resourceName = 'example.com/device' }: { readonly args: unknown; readonly resourceName?: string },
): FollowedSource {
  const { clock, endWait } = createWaitClock()
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  const env = { clock, log: silentLogger, random: () => 0, resourceName }
  const source = registry.createDeviceSource(plugin.name, args, env)
  const stop = new AbortController()
  const inventories = source.discover(stop.signal)[Symbol.asyncIterator]()
  let last: readonly Device[] = []
  return {
    async next() {
      const found = inventories.next()
      // The race below sees a failure, too.
      const ended = found.then(
        () => true,
        () => true,
      )
      while (!(await Promise.race([ended, setImmediate(false)]))) endWait()
      const step = await found
      if (step.done === true) throw new Error('discover ended')
      last = step.value
      return last
    },
    allocate: async (...ids) => await source.allocate(ids, last),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await inventories.return?.().catch(() => {})
    },
  }
}

/**
 * A clock whose timers fire only on `endWait`. Time stands still while a scan, which takes real time, has its deadline
 * timer.
 */
function createWaitClock(): { readonly clock: Clock; readonly endWait: () => void } {
  const timers = new Set<{ readonly delayMs: number; readonly task: () => void }>()
  let elapsedMs = 0
  return {
    clock: {
      now: () => elapsedMs,
      monotonic: () => elapsedMs,
      setTimer(delayMs, task) {
        const timer = { delayMs, task }
        timers.add(timer)
        return { cancel: () => void timers.delete(timer) }
      },
    },
    endWait() {
      const [first] = [...timers].toSorted((a, b) => a.delayMs - b.delayMs)
      if (first === undefined || timers.values().some(({ delayMs }) => delayMs === SCAN_TIMEOUT_MS)) return
      timers.delete(first)
      elapsedMs += first.delayMs
      first.task()
    },
  }
}
