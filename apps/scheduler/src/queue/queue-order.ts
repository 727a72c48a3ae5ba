import type { DecidePlugin, Logger, QueuedPod } from '@berth/types'
import { prioritySort } from './queued-pod.ts'

/**
 * Returns the order of the queue that all profiles share: that of the queueSort plugin, or priority and time. After a
 * plugin has thrown once it is not called again, because a queue must have one order at all times.
 */
export function createQueueOrder(
  sorter: DecidePlugin | undefined,
  log: Logger,
): (a: QueuedPod, b: QueuedPod) => number {
  if (sorter === undefined) return prioritySort
  let isBroken = false
  return (a, b) => {
    if (isBroken) return prioritySort(a, b)
    try {
      const order = sorter.queueSort?.(a, b) ?? 0
      return Number.isNaN(order) ? 0 : order
    } catch (error) {
      isBroken = true
      log.error({ err: error, plugin: sorter.name }, 'Queue sort plugin failed; sorting by priority and time')
      return prioritySort(a, b)
    }
  }
}
