import { basename, join } from 'node:path'
import { classDevices, type HostFiles } from '@berth/device-discovery'
import type { StackedDevice } from '../lowest-devices.ts'

/** More is not a speed, but -1 as an unsigned number, which drivers print for an unknown speed, or an error of a driver. */
export const MAX_MEGABITS = 10_000_000

/** A network interface of a node. */
export interface NetworkInterface extends StackedDevice {
  /** Whether it belongs to a device, such as a card. Bonds, bridges, VLANs, veth pairs and lo do not. */
  readonly isHardware: boolean
  /** Whether it is an SR-IOV virtual function, which shares the port of its physical function. */
  readonly isVirtualFunction: boolean
  readonly isBond: boolean
  /** The bond that it is a member of. */
  readonly bond: string | undefined
  /** Whether it passes packets: up, with a carrier. */
  readonly isUp: boolean
  /** Undefined if the driver does not tell, as while the interface is down. */
  readonly megabitsPerSecond: number | undefined
}

/**
 * Reads the interfaces in the network namespace of the host, sorted by name.
 *
 * @see linux Documentation/ABI/testing/sysfs-class-net and sysfs-class-net-bonding (6.18)
 */
export async function readInterfaces(host: HostFiles): Promise<readonly NetworkInterface[]> {
  const found = await classDevices('net', host)
  return await Promise.all(found.map(async ({ name }) => readInterface(name, host)))
}

async function readInterface(name: string, host: HostFiles): Promise<NetworkInterface> {
  const at = (...parts: readonly string[]): string => join('/sys/class/net', name, ...parts)
  const [attributes, state, carrier, speed, isHardware, isVirtualFunction, isMember, master] = await Promise.all([
    host.names(at()),
    host.text(at('operstate')),
    host.text(at('carrier')),
    host.text(at('speed')),
    host.exists(at('device')),
    host.exists(at('device', 'physfn')),
    host.exists(at('bonding_slave')),
    host.real(at('master')),
  ])
  const isBond = attributes.includes('bonding')
  const megabits = /^\d{1,8}$/.test(speed ?? '') ? Number(speed) : 0
  return {
    name,
    isHardware,
    isVirtualFunction,
    isBond,
    bond: isMember && master !== undefined ? basename(master) : undefined,
    // Some drivers do not maintain operstate.
    isUp: state === 'up' || (state === 'unknown' && carrier === '1'),
    megabitsPerSecond: megabits > 0 && megabits <= MAX_MEGABITS ? megabits : undefined,
    // The members of a bond are its hardware: the bond counts in their place.
    below: isBond
      ? []
      : attributes.filter((each) => each.startsWith('lower_')).map((each) => each.slice('lower_'.length)),
  }
}
