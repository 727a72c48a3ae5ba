import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import { dirname } from 'node:path'
import { countArgs, type CountArgs } from './count-args.ts'
import { readHealthFile, type HealthStatus } from './read-health-file.ts'
import { scanLoop } from './scan-loop.ts'

/** The inventory of `count`: the same number of devices always, all of one health. */
export function virtualDevices(args: CountArgs, reading: HealthStatus): readonly Device[] {
  const { idPrefix = 'slot', count } = args
  return Array.from({ length: count }, (_, index) => ({ id: `${idPrefix}-${index}`, ...reading }))
}

/** N virtual devices: licences, seats, anything that is only counted. The container gets its ids in the environment. */
export const countSource: DeviceSourcePlugin<CountArgs> = defineDeviceSource({
  name: 'count',
  description: 'A number of virtual devices, all healthy or all unhealthy.',
  argsSchema: countArgs,
  create(args, { clock, log }) {
    const { healthFile } = args
    return {
      discover: (signal) =>
        scanLoop(
          {
            scan: async () =>
              virtualDevices(args, healthFile === undefined ? { health: 'Healthy' } : await readHealthFile(healthFile)),
            watchedDirectories: () => (healthFile === undefined ? [] : [dirname(healthFile)]),
            rescanMs: args.rescanSeconds * 1000,
            clock,
            log,
          },
          signal,
        ),
      allocate: () => ({}),
    }
  },
})
