import { jitter, pause } from '@berth/clock'
import type { Instruments } from '@berth/process/metrics'
import type { Clock, Logger, Random } from '@berth/types'
import type { metricDefinitions } from '../metrics.ts'
import type { NodeHelper } from '../node-helper/node-helper-client.ts'
import { deviceUsage, NO_USAGE, type DeviceUsage } from './device-usage.ts'

const POLL_INTERVAL_MS = 10_000
const POLL_JITTER = 0.1

/** Follows which container holds which device. */
export interface UsageWatch {
  /** Returns the last known usage; no device before the first answer. */
  current(): DeviceUsage
  /** Asks at intervals until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Creates a watch that asks the node helper, publishes the metrics, and logs each device that two pods hold once.
 *
 * @param options.resourceNames - Returns the resources that this plugin serves.
 */
export function createUsageWatch(options: {
  readonly nodeHelper: Pick<NodeHelper, 'listPodDevices'>
  readonly resourceNames: () => readonly string[]
  /** Called with each answer, and when the kubelet was asked, in monotonic time. */
  readonly onUsage: (usage: DeviceUsage, askedAtMs: number) => void
  readonly metrics: Instruments<typeof metricDefinitions>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}): UsageWatch {
  const { nodeHelper, resourceNames, onUsage, metrics, clock, random, log } = options
  let usage = NO_USAGE
  let isFailing = false
  let reported: ReadonlySet<string> = new Set()

  function publish(next: DeviceUsage, names: readonly string[]): void {
    usage = next
    // Pods that have ended leave the metrics.
    metrics.podDevices.reset()
    for (const { resourceName, namespace, pod, devices } of next.perPod) {
      metrics.podDevices.set({ resource_name: resourceName, namespace, pod }, devices)
    }
    for (const name of names) {
      const count = next.doubleAssigned.filter(({ resourceName }) => resourceName === name).length
      metrics.doubleAssignedDevices.set({ resource_name: name }, count)
    }
    const keys = new Map(next.doubleAssigned.map((each) => [JSON.stringify(each), each]))
    for (const [key, { resourceName, id, pods }] of keys) {
      if (reported.has(key)) continue
      log.error({ resourceName, deviceId: id, pods }, 'Two pods hold one device: delete one of them')
    }
    reported = new Set(keys.keys())
  }

  async function poll(signal: AbortSignal): Promise<void> {
    const askedAtMs = clock.monotonic()
    try {
      const held = await nodeHelper.listPodDevices()
      if (signal.aborted) return
      const names = resourceNames()
      publish(deviceUsage(held, new Set(names)), names)
      onUsage(usage, askedAtMs)
      isFailing = false
    } catch (error) {
      metrics.podResourcesFailures.inc()
      if (!isFailing) log.warn({ err: error }, 'Could not read which container holds which device')
      isFailing = true
    }
  }

  return {
    current: () => usage,
    async run(signal) {
      while (!signal.aborted) {
        await poll(signal)
        await pause(clock, jitter(POLL_INTERVAL_MS, POLL_JITTER, random), signal)
      }
    },
  }
}
