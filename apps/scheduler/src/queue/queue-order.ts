import type { DecidePlugin, Logger, QueuedPod } from '@berth/types'
import { hungPlugins } from '../watchdog/hung-condition.ts'
import { prioritySort } from './queued-pod.ts'

/**
 * Returns the order of the queue, which all profiles share: the order of the queueSort plugin, or by priority and time.
 * After the plugin has thrown once, it is not called again, because the order of a queue must be consistent.
 * Nor is it called for pods for which it did not return: they come last, and their attempt rejects them.
 */
export function createQueueOrder(
  sorter: DecidePlugin | undefined,
  log: Logger,
): (a: QueuedPod, b: QueuedPod) => number {
  if (sorter === undefined) return prioritySort
  let isBroken = false
  return (a, b) => {
    if (isBroken) return prioritySort(a, b)
    const isHung = ({ pod }: QueuedPod): boolean => hungPlugins(pod).includes(sorter.name)
    const hungLast = Number(isHung(a)) - Number(isHung(b))
    if (hungLast !== 0 || isHung(a)) return hungLast || prioritySort(a, b)
    try {
      return sorter.queueSort?.(a, b) ?? 0
    } catch (error) {
      isBroken = true
      log.error({ err: error, plugin: sorter.name }, 'Queue sort plugin failed; sorting by priority and time')
      return prioritySort(a, b)
    }
  }
}
