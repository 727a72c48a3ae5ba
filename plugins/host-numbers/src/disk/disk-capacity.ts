import { statfs } from 'node:fs/promises'
import { absolutePath, hostFiles, matchesAny, type HostFiles } from '@berth/device-discovery'
import { defineResourceSource, type ResourceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'
import { hostRoot, namePatterns } from '../host-args.ts'
import { lowestDevices } from '../lowest-devices.ts'
import { readDisks } from './read-disks.ts'

type Unit = 'B' | 'MiB' | 'GiB' | 'TiB'

const BYTES: Readonly<Record<Unit, bigint>> = { B: 1n, MiB: 1n << 20n, GiB: 1n << 30n, TiB: 1n << 40n }

/** Arguments of disk-capacity. */
export interface DiskCapacityArgs {
  readonly disks?: readonly string[] | undefined
  readonly fileSystem?: string | undefined
  readonly unit: Unit
  readonly hostRoot: string
}

const argsSchema: z.ZodType<DiskCapacityArgs> = z
  .strictObject({
    disks: namePatterns
      .optional()
      .describe(
        'Names of the block devices that count, also virtual ones. * and ? are wildcards. Default: the disks that are hardware and not removable.',
      ),
    fileSystem: absolutePath
      .optional()
      .describe('Counts the size of the file system that contains this path of the node, instead of disks.'),
    unit: z.enum(['B', 'MiB', 'GiB', 'TiB']).default('GiB').describe('One unit of the resource.'),
    hostRoot,
  })
  .refine(({ disks, fileSystem }) => disks === undefined || fileSystem === undefined, {
    path: ['fileSystem'],
    error: 'expected either disks or fileSystem',
  })

/** Counts the capacity of the disks of the node, or of one of its file systems. */
export const diskCapacity: ResourceSourcePlugin<DiskCapacityArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'disk-capacity',
  description: 'Sums the capacity of the disks of the node, or of one of its file systems.',
  readsHost: true,
  argsSchema,
  create(args, { clock }) {
    const host = hostFiles(args.hostRoot)
    return {
      async compute(_, signal) {
        signal.throwIfAborted()
        const bytes =
          args.fileSystem === undefined
            ? await bytesOfDisks(args.disks, host)
            : await bytesOfFileSystem(args.fileSystem, host)
        return { units: inUnits(bytes, BYTES[args.unit]), observedAtMs: clock.now() }
      },
    }
  },
})

async function bytesOfDisks(patterns: readonly string[] | undefined, host: HostFiles): Promise<bigint> {
  const all = await readDisks(host)
  const wanted = all.filter(({ name, isHardware, isRemovable }) =>
    patterns === undefined ? isHardware && !isRemovable : matchesAny(name, patterns),
  )
  if (wanted.length === 0) {
    throw new Error(
      `${host.locate('/sys/block')} has no disk that counts: ${patterns === undefined ? 'hardware' : patterns.join(', ')}`,
    )
  }
  const bytesByDisk = new Map(lowestDevices(wanted, all).map(({ disk, bytes }) => [disk, bytes]))
  return [...bytesByDisk.values()].reduce((sum, bytes) => sum + bytes, 0n)
}

/** The total size, as df shows it, with the blocks that are reserved for root. */
async function bytesOfFileSystem(path: string, host: HostFiles): Promise<bigint> {
  // An absolute link of the node would lead into the container, which has file systems of its own.
  const real = await host.real(path)
  if (real === undefined) {
    throw new Error(
      `cannot read the file system of ${path}: the path is missing, or a link leads out of ${host.locate('/')}: mount and name the directory that it leads to`,
    )
  }
  const { blocks, bsize } = await statfs(host.locate(real), { bigint: true })
  return blocks * bsize
}

/** Exact for whole units; a fraction is only kept where a double has room for it. */
function inUnits(bytes: bigint, unit: bigint): number | bigint {
  const whole = bytes / unit
  return whole > BigInt(Number.MAX_SAFE_INTEGER) ? whole : Number(whole) + Number(bytes % unit) / Number(unit)
}
