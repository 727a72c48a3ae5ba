import type { Allocation } from '@berth/types'
import type { ContainerConfig } from './container-config.ts'

/**
 * Adds what the configuration gives to every container to the allocation of a source. A configured variable or
 * annotation replaces one of the source with the same name.
 *
 * @param ids - Sorted.
 */
export function addToAllocation(
  allocation: Allocation,
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
export function containerPaths({ deviceNodes = [], mounts = [] }: Allocation): readonly string[] {
  return [...deviceNodes, ...mounts].map(({ containerPath }) => containerPath)
}
