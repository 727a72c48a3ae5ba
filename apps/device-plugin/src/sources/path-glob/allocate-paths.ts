import type { Allocation, DeviceMount, DeviceNode } from '@berth/types'
import { containerPathOf, type PathDevice } from './path-device.ts'
import type { PathGlobArgs } from './path-glob-args.ts'

/**
 * Returns the allocation of a container: device nodes as device nodes, everything else as bind mounts; each path once.
 */
export function allocatePaths(args: PathGlobArgs, devices: readonly PathDevice[]): Allocation {
  const byPath = new Map(devices.map((device) => [device.paths[0], device]))
  const deviceNodes: DeviceNode[] = []
  const mounts: DeviceMount[] = []
  for (const [path, { hostPath, isDeviceNode }] of [...byPath].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const containerPath = containerPathOf(path, args)
    if (isDeviceNode) deviceNodes.push({ hostPath, containerPath, permissions: args.permissions ?? 'rw' })
    else mounts.push({ hostPath, containerPath, readOnly: args.permissions?.includes('w') !== true })
  }
  return { deviceNodes, mounts }
}
