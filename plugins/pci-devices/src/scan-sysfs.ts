import { basename, dirname, join } from 'node:path'
import {
  classDevices,
  deviceId,
  deviceNodeOf,
  driverOf,
  healthOfNodes,
  type HostFiles,
  matchesAny,
  matchesPattern,
  numaNodesAbove,
} from '@berth/device-discovery'
import type { Device } from '@berth/plugin-api'
import type { SysfsArgs } from './args.ts'
import { hasAttributes } from './has-attributes.ts'

/** A selected device of a class or of a bus. */
export interface SysfsDevice extends Device {
  readonly name: string
  /** Nodes that the container gets. */
  readonly nodes: readonly string[]
}

/** Returns the selected devices, sorted by name. A device without the attribute that identifies it is left out. */
export async function scanSysfs(args: SysfsArgs, host: HostFiles): Promise<readonly SysfsDevice[]> {
  const below = await Promise.all(args.nodes.map((className) => classDevices(className, host)))
  const names = (await host.names(args.directory)).filter((name) => matchesAny(name, args.names))
  const devices: SysfsDevice[] = []
  const ids = new Set<string>()
  for (const name of names) {
    const directory = await host.real(join(args.directory, name))
    if (directory?.startsWith('/sys/devices/') !== true) continue
    const driver = (await driverOf(directory, host)) ?? (await driverOf(join(directory, 'device'), host))
    if (args.driver !== undefined && !matchesPattern(driver ?? '', args.driver)) continue
    if (!(await hasAttributes(directory, args.attributes, host))) continue
    const identity = args.idAttribute === undefined ? name : await host.text(join(directory, args.idAttribute))
    if (identity === undefined || identity === '') continue
    const own = await deviceNodeOf(directory, host)
    const inside = below.flat().filter((each) => each.directory.startsWith(`${directory}/`))
    const others = await Promise.all(inside.map((each) => deviceNodeOf(each.directory, host)))
    const nodes = [own, ...others].filter((node) => node !== undefined)
    const numaNodes = await numaNodesAbove(directory, host)
    const id = idOf(args.directory, identity)
    const twin = { health: 'Unhealthy', reason: `another device has the ${args.idAttribute} ${identity}` } as const
    devices.push({
      id: ids.has(id) ? idOf(args.directory, `${identity}/${name}`) : id,
      ...(ids.has(id) ? twin : await healthOfNodes(nodes, host)),
      name,
      paths: [...nodes, join(args.directory, name)],
      nodes,
      ...(numaNodes.length > 0 && { numaNodes }),
    })
    ids.add(id)
  }
  return devices
}

/** `/sys/class/accel` and `accel0` -> `accel-accel0`; `/sys/bus/platform/devices` -> `platform-…`. */
function idOf(directory: string, identity: string): string {
  const kind = basename(directory) === 'devices' ? basename(dirname(directory)) : basename(directory)
  return deviceId(`/${kind}/${identity}`)
}
