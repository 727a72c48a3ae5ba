import type { DeviceNode } from '@berth/types'
import { envName } from './env-name.ts'

/** Returns device nodes that have the same path in the container, each once and sorted. */
export function nodesInContainer(paths: readonly string[], permissions: string): readonly DeviceNode[] {
  return [...new Set(paths)].toSorted().map((path) => ({ hostPath: path, containerPath: path, permissions }))
}

/**
 * Returns an environment variable with a list: `listEnv('PCIDEVICE', 'example.com/vf', ['0000:3b:02.0'])` is
 * `PCIDEVICE_EXAMPLE_COM_VF=0000:3b:02.0`. The name holds the resource, because a container may have devices of several.
 *
 * @returns Without the variable if the list is empty.
 */
export function listEnv(
  prefix: string,
  resourceName: string,
  values: readonly string[],
): Readonly<Record<string, string>> {
  return values.length === 0 ? {} : { [`${prefix}_${envName(resourceName)}`]: values.join(',') }
}
