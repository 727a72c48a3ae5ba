import type { DeviceNode } from '@berth/types'
import { envName } from './env-name.ts'

/** Returns device nodes whose path in the container is that on the host, without duplicates, sorted by path. */
export function nodesInContainer(paths: readonly string[], permissions: string): readonly DeviceNode[] {
  return [...new Set(paths)].toSorted().map((path) => ({ hostPath: path, containerPath: path, permissions }))
}

/**
 * Returns an environment variable with a list: `listEnv('PCIDEVICE', 'example.com/vf', ['0000:3b:02.0'])` is
 * `PCIDEVICE_EXAMPLE_COM_VF=0000:3b:02.0`. The name holds the resource, because a container may have devices of several.
 *
 * @returns An empty object if the list is empty.
 */
export function listEnv(
  prefix: string,
  resourceName: string,
  values: readonly string[],
): Readonly<Record<string, string>> {
  return values.length === 0 ? {} : { [`${prefix}_${envName(resourceName)}`]: values.join(',') }
}

/** Returns the device nodes of several devices. Of nodes with the same path in the container, only the last is kept. */
export function nodesOnce(devices: readonly { readonly nodes: readonly DeviceNode[] }[]): readonly DeviceNode[] {
  return [...new Map(devices.flatMap(({ nodes }) => nodes).map((node) => [node.containerPath, node])).values()]
}

/**
 * Returns the nodes whose path in the container belongs to an earlier node with another path on the host, each with that
 * earlier node. A container would get only one of the two.
 */
export function containerPathConflicts<
  Node extends { readonly path: string; readonly containerPath?: string | undefined },
>(nodes: readonly Node[]): readonly { readonly node: Node; readonly earlier: Node; readonly containerPath: string }[] {
  const first = new Map<string, Node>()
  return nodes.flatMap((node) => {
    const { path, containerPath = path } = node
    const earlier = first.get(containerPath) ?? node
    first.set(containerPath, earlier)
    return earlier.path === path ? [] : [{ node, earlier, containerPath }]
  })
}
