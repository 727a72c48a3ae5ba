import type { CsiDriver, Pod } from '@berth/types'
import type { ResourceSlice } from '../../facts/fact-kinds.ts'
import { hostPathsOf, type Program, programsOf } from './program.ts'

/** A program that registers a device plugin with the kubelet. */
export interface DevicePluginProgram extends Program {
  /** The directory of the host in which it registers. */
  readonly directory: string
}

/** Returns the programs that register a device plugin with the kubelet, sorted by name. */
export function devicePluginPrograms(
  pods: readonly Pod[],
  csiDrivers: readonly CsiDriver[],
  slices: readonly ResourceSlice[],
): readonly DevicePluginProgram[] {
  const drivers = driverNames(csiDrivers, slices)
  const directoryOf = (pod: Pod): string | undefined => registrationDirectory(pod, drivers)
  return programsOf(pods.filter((pod) => directoryOf(pod) !== undefined)).map((program) => ({
    ...program,
    directory: program.pods.map(directoryOf).find(Boolean) ?? '',
  }))
}

/** Returns the names of drivers that use the plugin watcher of the kubelet for something else than extended resources. */
function driverNames(csiDrivers: readonly CsiDriver[], slices: readonly ResourceSlice[]): ReadonlySet<string> {
  return new Set([...csiDrivers.map(({ metadata }) => metadata.name ?? ''), ...slices.map(({ spec }) => spec.driver)])
}

/**
 * Returns the directory of the host in which a pod registers a device plugin; undefined for any other pod. Drivers of CSI
 * and DRA use the plugin watcher, too, and have a directory of their own beside it.
 */
function registrationDirectory(pod: Pick<Pod, 'spec'>, drivers: ReadonlySet<string>): string | undefined {
  const paths = hostPathsOf(pod)
  const classic = paths.find((path) => path.endsWith('/device-plugins'))
  if (classic !== undefined) return classic
  const isDriver =
    paths.some((path) => drivers.has(path.slice(path.lastIndexOf('/') + 1))) ||
    pod.spec.containers.some(({ image = '' }) => image.includes('node-driver-registrar'))
  return isDriver ? undefined : paths.find((path) => path.includes('/plugins_registry'))
}
