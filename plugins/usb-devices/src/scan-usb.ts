import { join } from 'node:path'
import {
  childNodes,
  deviceId,
  deviceNodeOf,
  healthOfNodes,
  type HostFiles,
  isSameHex,
  matchesPattern,
  numaNodesAbove,
} from '@berth/device-discovery'
import type { Device } from '@berth/plugin-api'
import type { UsbArgs, UsbSelector } from './args.ts'

/** Directory of USB devices and their interfaces. Linux: Documentation/ABI/testing/sysfs-bus-usb. */
const USB_DEVICES = '/sys/bus/usb/devices'

/** A selected USB device. */
export interface UsbDevice extends Device {
  /** Nodes that the container gets. */
  readonly nodes: readonly string[]
}

/** A device at a port, as sysfs describes it. */
interface UsbPort {
  readonly port: string
  readonly vendor: string
  readonly product: string
  readonly serial: string | undefined
}

/**
 * Returns the selected USB devices, sorted by id.
 *
 * @param portById - The ports of the devices of the previous scan, by id. They are replaced.
 */
export async function scanUsb(
  args: UsbArgs,
  host: HostFiles,
  portById: Map<string, string>,
): Promise<readonly UsbDevice[]> {
  const names = await host.names(USB_DEVICES)
  // `1-2:1.0` is an interface of the device `1-2`, and `usb1` is a controller.
  const ports = await Promise.all(names.filter((name) => /^\d+-[\d.]+$/.test(name)).map((port) => readPort(port, host)))
  const children = args.nodes.length === 0 ? undefined : await childNodes(args.nodes, host)
  const selected = ports.filter((port) => port !== undefined && args.devices.some((each) => isSelected(port, each)))
  // A pod may hold a device whose serial number another one copies, so the device that was there first keeps the id.
  const isKnown = (port: UsbPort): boolean => portById.get(idOf(port, args.identifyBy)) === port.port
  const ordered = (selected as readonly UsbPort[]).toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a)))
  portById.clear()
  const ids = new Set<string>()
  const devices: UsbDevice[] = []
  for (const port of ordered) {
    const wanted = idOf(port, args.identifyBy)
    const isTwin = ids.has(wanted)
    const id = isTwin ? idOf(port, 'port') : wanted
    ids.add(id)
    portById.set(id, port.port)
    const found = await inspectPort(port, { id, children, classNames: args.nodes, host })
    const reason = `another device has the serial number ${port.serial}; set identifyBy: port`
    devices.push(isTwin ? { ...found, health: 'Unhealthy', reason } : found)
  }
  return devices.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function readPort(port: string, host: HostFiles): Promise<UsbPort | undefined> {
  const read = (name: string): Promise<string | undefined> => host.text(join(USB_DEVICES, port, name))
  const [vendor, product, serial] = await Promise.all([read('idVendor'), read('idProduct'), read('serial')])
  if (vendor === undefined || product === undefined) return undefined
  return { port, vendor, product, serial: serial === '' ? undefined : serial }
}

function isSelected({ port, vendor, product, serial }: UsbPort, wanted: UsbSelector): boolean {
  return (
    (wanted.vendor === undefined || isSameHex(vendor, wanted.vendor)) &&
    (wanted.product === undefined || isSameHex(product, wanted.product)) &&
    (wanted.serial === undefined || (serial !== undefined && matchesPattern(serial, wanted.serial))) &&
    (wanted.port === undefined || matchesPattern(port, wanted.port))
  )
}

/** The numbers in /dev/bus/usb change when a device is plugged in again, so they are not part of the id. */
function idOf({ port, vendor, product, serial }: UsbPort, identifyBy: UsbArgs['identifyBy']): string {
  const isBySerial = identifyBy === 'serial' && serial !== undefined
  return deviceId(`/usb/${vendor}/${product}/${isBySerial ? serial : `port/${port}`}`)
}

async function inspectPort(
  { port }: UsbPort,
  options: {
    readonly id: string
    readonly children: ReadonlyMap<string, readonly string[]> | undefined
    readonly classNames: readonly string[]
    readonly host: HostFiles
  },
): Promise<UsbDevice> {
  const { id, children, classNames, host } = options
  const directory = await host.real(join(USB_DEVICES, port))
  const own = directory === undefined ? undefined : await deviceNodeOf(directory, host)
  const nodes = children === undefined ? (own === undefined ? [] : [own]) : (children.get(port) ?? [])
  const numaNodes = directory === undefined ? [] : await numaNodesAbove(directory, host)
  const status =
    nodes.length > 0
      ? await healthOfNodes(nodes, host)
      : ({
          health: 'Unhealthy',
          reason: `no driver offers a node of ${classNames.join(', ') || 'USB'} at port ${port}`,
        } as const)
  return { id, ...status, paths: nodes, nodes, ...(numaNodes.length > 0 && { numaNodes }) }
}
