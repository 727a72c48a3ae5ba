import { join } from 'node:path'
import type { HostFiles } from '@berth/device-discovery'
import type { StackedDevice } from '../lowest-devices.ts'

/** sysfs counts in sectors of this size, whatever the sectors of the disk. */
const SECTOR_BYTES = 512n
/** The kernel counts bytes in 63 bits (loff_t). */
const MAX_SECTORS = 2n ** 63n / SECTOR_BYTES - 1n

/** A block device of a node, without its partitions. */
export interface BlockDevice extends StackedDevice {
  /** Whether it belongs to a device, such as a disk. Loop devices, RAM disks, RAIDs and logical volumes do not. */
  readonly isHardware: boolean
  readonly isRemovable: boolean
  readonly bytes: bigint
  /** Equal for the paths of a multipath device, which lead to one disk. */
  readonly disk: string
}

/**
 * Reads the block devices of the host, sorted by name.
 *
 * @see linux Documentation/ABI/stable/sysfs-block (6.18); /sys/block/DISK/size is in block/genhd.c
 */
export async function readDisks(host: HostFiles): Promise<readonly BlockDevice[]> {
  const names = await host.names('/sys/block')
  const found = await Promise.all(names.map(async (name) => readDisk(name, host)))
  return found.filter((each) => each !== undefined)
}

/** Returns undefined for the hidden paths of an NVMe disk, which also has a device of its own, and if the device has left. */
async function readDisk(name: string, host: HostFiles): Promise<BlockDevice | undefined> {
  const at = (...parts: readonly string[]): string => join('/sys/block', name, ...parts)
  const [size, hidden, removable, isHardware, holders, below] = await Promise.all([
    host.text(at('size')),
    host.text(at('hidden')),
    host.text(at('removable')),
    host.exists(at('device')),
    host.names(at('holders')),
    host.names(at('slaves')),
  ])
  if (hidden === '1' || !/^\d{1,20}$/.test(size ?? '')) return undefined
  const sectors = BigInt(size ?? '')
  if (sectors > MAX_SECTORS) return undefined
  const uuids = await Promise.all(holders.map((holder) => host.text(join('/sys/block', holder, 'dm', 'uuid'))))
  return {
    name,
    isHardware,
    isRemovable: removable === '1',
    bytes: sectors * SECTOR_BYTES,
    disk: uuids.find((uuid) => uuid?.startsWith('mpath-') === true) ?? name,
    below,
  }
}
