import type { Allocation } from '@berth/types'
import type { ContainerConfig } from './container-config.ts'

/** An allocation whose device nodes and mounts may be described elsewhere, such as in a CDI file. */
export interface ContainerAllocation extends Allocation {
  /** Paths of the devices in the container. Default: those of the device nodes and mounts. */
  readonly containerPaths?: readonly string[]
}

/**
 * Adds what the configuration gives to every container to the allocation of a source. A configured variable or
 * annotation replaces one of the source with the same name.
 *
 * @param ids - Sorted.
 */
export function addToAllocation(
  allocation: ContainerAllocation,
  config: ContainerConfig | undefined,
  ids: readonly string[],
): Allocation {
  if (config === undefined) return allocation
  const paths = containerPaths(allocation).join(',')
  const fill = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts).map(([name, value]) => [
        name,
        // Functions, because `$` has a meaning in a replacement text.
        value.replaceAll('{ids}', () => ids.join(',')).replaceAll('{paths}', () => paths),
      ]),
    )
  const withPath = <T extends { readonly hostPath: string; readonly containerPath?: string | undefined }>(
    entry: T,
  ) => ({
    ...entry,
    containerPath: entry.containerPath ?? entry.hostPath,
  })
  return {
    env: { ...allocation.env, ...fill(config.env) },
    annotations: { ...allocation.annotations, ...fill(config.annotations) },
    mounts: [...(allocation.mounts ?? []), ...config.mounts.map(withPath)],
    deviceNodes: [...(allocation.deviceNodes ?? []), ...config.deviceNodes.map(withPath)],
    cdiDevices: [...new Set([...(allocation.cdiDevices ?? []), ...config.cdiDevices])],
  }
}

/** Returns the paths that an allocation has in the container. */
export function containerPaths(allocation: ContainerAllocation): readonly string[] {
  const { deviceNodes = [], mounts = [] } = allocation
  return allocation.containerPaths ?? [...deviceNodes, ...mounts].map(({ containerPath }) => containerPath)
}

/**
 * Refuses two host paths with one container path, because the runtime would mount only one of them.
 *
 * @throws Error naming the two host paths.
 */
export function refuseEqualContainerPaths({ deviceNodes = [], mounts = [] }: Allocation): void {
  const hostPaths = new Map<string, string>()
  for (const { hostPath, containerPath } of [...deviceNodes, ...mounts]) {
    const first = hostPaths.get(containerPath)
    if (first !== undefined && first !== hostPath) {
      throw new Error(`${first} and ${hostPath} have the same container path ${containerPath}`)
    }
    hostPaths.set(containerPath, hostPath)
  }
}
