import type { Clock, Logger } from '@berth/types'
import type { ResourceWithSource } from '../create-sources.ts'
import { describeDevices } from '../debug/describe-devices.ts'
import { createDeviceIds } from '../devices/device-ids.ts'
import { createDeviceTable, type DeviceTable, type IgnoredDevice } from '../devices/device-table.ts'
import { discoverOnce, type Discovery } from '../discover.ts'
import { createProbes } from '../health/create-probes.ts'
import { createDeviceProber } from '../health/probe-devices.ts'
import { sourceTask } from './sync-device-table.ts'

/**
 * Returns what the resources would offer: their first inventories after one run of all probes, with the ids that collide,
 * and what is left out.
 */
export async function offerOnce(
  resources: readonly ResourceWithSource[],
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<readonly Discovery[]> {
  const deviceIds = createDeviceIds()
  const found = await Promise.all(
    resources.map(async ({ entry, source, leftOut }) => {
      const resourceName = entry.name
      const { devices, problem } = await discoverOnce(resourceName, source, clock)
      const table = createDeviceTable({ resourceName, keepMissingMs: 0, deviceIds, clock, log })
      table.update(devices)
      const prober = createDeviceProber({
        tasks: [
          ...(source.probe === undefined ? [] : [sourceTask({ source, table, probeMs: 0, inventory: () => devices })]),
          ...createProbes(entry.health).map((probe) => ({ probe, isOptimistic: false })),
        ],
        table,
        clock,
        log,
      })
      prober.setInventory(devices)
      await prober.runOnce(new AbortController().signal)
      return { resourceName, problem, table, leftOut: leftOut() }
    }),
  )
  // Only now are all ids known.
  return found.map(({ resourceName, problem, table, leftOut }) => ({
    resourceName,
    ...offeredBy(table, leftOut),
    ...(problem !== undefined && { problem }),
  }))
}

function offeredBy(table: DeviceTable, leftOut: readonly IgnoredDevice[]): Pick<Discovery, 'devices' | 'leftOut'> {
  const described = describeDevices(table)
  return {
    devices: described.filter(({ isRemoved }) => isRemoved !== true),
    leftOut: [
      ...described.filter(({ isRemoved }) => isRemoved === true).map(({ id, reason = '' }) => ({ id, reason })),
      ...table.ignored(),
      ...leftOut,
    ],
  }
}
