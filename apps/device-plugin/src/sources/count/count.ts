import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { countArgs, idPrefixOf, type CountArgs } from './count-args.ts'
import { readHealthFile, type HealthReading, type HealthStatus } from '../read-health-file.ts'
import { createScanLoop } from '@berth/device-discovery'

const HEALTHY: HealthStatus = { health: 'Healthy' }

/** Returns the inventory of `count`: a fixed number of devices, all with the same health. */
function virtualDevices(count: number, idPrefix: string, health: HealthStatus): readonly Device[] {
  return Array.from({ length: count }, (_, index) => ({ id: `${idPrefix}-${index}`, ...health }))
}

/** Virtual devices such as licence seats, which are only counted. The container gets its ids as environment variables. */
export const countSource: DeviceSourcePlugin<CountArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'count',
  description: 'A fixed number of virtual devices, all healthy or all unhealthy.',
  argsSchema: countArgs,
  create(args, { clock, log, resourceName }) {
    const { healthFile } = args
    const idPrefix = idPrefixOf(args, resourceName)
    let reading: HealthReading | undefined
    let last: { readonly status: HealthStatus; readonly devices: readonly Device[] } | undefined
    /** Returns the same inventory for an equal status, so that an unchanged scan costs no time per device. */
    function devicesWith(status: HealthStatus): readonly Device[] {
      if (last === undefined || !isDeepStrictEqual(last.status, status)) {
        last = { status, devices: virtualDevices(args.count, idPrefix, status) }
      }
      return last.devices
    }
    async function readStatus(path: string): Promise<HealthStatus> {
      reading = await readHealthFile(path, { last: reading, nowMs: clock.now() })
      return reading.status
    }
    return {
      discover: createScanLoop({
        scan: async () => ({ devices: devicesWith(healthFile === undefined ? HEALTHY : await readStatus(healthFile)) }),
        watchedDirectories: () => (healthFile === undefined ? [] : [dirname(healthFile)]),
        rescanMs: args.rescanSeconds * 1000,
        clock,
        log,
      }),
      allocate: () => ({}),
    }
  },
})
