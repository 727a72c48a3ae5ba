import type { DeviceSource, SourceEnv } from '@berth/plugin-api'
import type { Allocation, Device } from '@berth/types'
import { createScanLoop, type ScanResult } from './scan-loop.ts'

/** Options of {@link createScanningSource}. */
export interface ScanningSourceOptions<Found extends Device> {
  readonly scan: () => Promise<ScanResult<Found>>
  /** Directories, as this process sees them, whose changes start a scan. Default: none. */
  readonly watchedDirectories?: () => readonly string[]
  readonly rescanSeconds: number
  /** Returns what a container gets with these devices, which are sorted by id. */
  readonly allocate: (devices: readonly Found[]) => Allocation
}

/** Creates a device source from a function that scans for the devices. */
export function createScanningSource<Found extends Device>(
  { scan, watchedDirectories = () => [], rescanSeconds, allocate }: ScanningSourceOptions<Found>,
  { clock, log }: Pick<SourceEnv, 'clock' | 'log'>,
): DeviceSource {
  return {
    discover: createScanLoop({ scan, watchedDirectories, rescanMs: rescanSeconds * 1000, clock, log }),
    allocate(ids, devices) {
      const wanted = new Set(ids)
      // The inventory holds what `scan` found.
      const chosen = devices.filter((device): device is Found => wanted.has(device.id))
      return allocate(chosen.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    },
  }
}
