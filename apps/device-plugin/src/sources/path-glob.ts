import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import type { Allocation, Device, DeviceMount, DeviceNode } from '@berth/types'
import { access, constants, glob, realpath, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { deviceId } from './device-id.ts'
import { readHealthFile, type HealthStatus } from './read-health-file.ts'
import { numaNodes } from './numa-nodes.ts'
import { pathGlobArgs, type PathGlobArgs } from './path-glob-args.ts'
import { scanLoop } from './scan-loop.ts'

/** A device found by `path-glob`. */
export interface PathDevice extends Device {
  /** The path that matched, and the path it resolves to. */
  readonly paths: readonly [matched: string, real: string]
  /** True if the container gets a device node; otherwise it gets a bind mount. */
  readonly isDeviceNode: boolean
}

const insertName = (pattern: string, path: string): string => pattern.replaceAll('{name}', basename(path))

async function readHealth(path: string, args: PathGlobArgs): Promise<HealthStatus> {
  if (args.checkReadable) {
    try {
      await access(path, constants.R_OK)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return { health: 'Unhealthy', reason: `${path} cannot be read (${code ?? String(error)})` }
    }
  }
  return args.healthFile === undefined ? { health: 'Healthy' } : readHealthFile(insertName(args.healthFile, path))
}

async function devicesForPath(path: string, real: string, args: PathGlobArgs): Promise<readonly PathDevice[]> {
  const stats = await stat(real)
  const kind = stats.isCharacterDevice() ? 'char' : stats.isBlockDevice() ? 'block' : undefined
  const reading = await readHealth(path, args)
  const nodes = args.topology && kind !== undefined ? await numaNodes(kind, stats.rdev) : []
  const slots = args.slots === 1 ? [undefined] : Array.from({ length: args.slots }, (_, slot) => slot)
  return slots.map((slot) => ({
    id: deviceId(path, slot),
    ...reading,
    ...(nodes.length > 0 && { numaNodes: nodes }),
    paths: [path, real],
    isDeviceNode: kind !== undefined,
  }))
}

/** Returns a device for every matching path. Paths that resolve to the same file are one device with the first name. */
export async function scanPaths(args: PathGlobArgs): Promise<readonly PathDevice[]> {
  const matches = new Set<string>()
  for (const pattern of args.paths) for await (const path of glob(pattern)) matches.add(path)
  const seen = new Set<string>()
  const devices: PathDevice[] = []
  for (const path of [...matches].sort()) {
    try {
      const real = await realpath(path)
      if (seen.has(real)) continue
      devices.push(...(await devicesForPath(path, real, args)))
      seen.add(real)
    } catch (error) {
      // Unplugged between the glob and the stat.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return devices
}

/** Returns the directories in which matches may appear: the part of each pattern before its first wildcard. */
export function watchedDirectories(args: Pick<PathGlobArgs, 'paths' | 'healthFile'>): readonly string[] {
  const patterns = [...args.paths, ...(args.healthFile === undefined ? [] : [args.healthFile])]
  const directories = patterns.map((pattern) => {
    const parts = pattern.split('/')
    const firstWildcard = parts.findIndex((part) => /[*?[{]/.test(part))
    return firstWildcard === -1 ? dirname(pattern) : parts.slice(0, firstWildcard).join('/') || '/'
  })
  return [...new Set(directories)].sort()
}

/**
 * Returns the allocation of a container: device nodes as device nodes, everything else as bind mounts; each path once.
 */
export function allocatePaths(args: PathGlobArgs, devices: readonly PathDevice[]): Allocation {
  const byPath = new Map(devices.map((device) => [device.paths[0], device]))
  const deviceNodes: DeviceNode[] = []
  const mounts: DeviceMount[] = []
  for (const [path, { paths, isDeviceNode }] of [...byPath].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [, hostPath] = paths
    const containerPath = args.containerPath === undefined ? path : insertName(args.containerPath, path)
    if (isDeviceNode) deviceNodes.push({ hostPath, containerPath, permissions: args.permissions })
    else mounts.push({ hostPath, containerPath, readOnly: !args.permissions.includes('w') })
  }
  return { deviceNodes, mounts }
}

/** Host paths by glob pattern: serial ports, cameras, dongles, sockets. They may appear and disappear. */
export const pathGlobSource: DeviceSourcePlugin<PathGlobArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'path-glob',
  description: 'Host paths that match a pattern. They may appear and disappear.',
  argsSchema: pathGlobArgs,
  create(args, { clock, log }) {
    return {
      discover: (signal) =>
        scanLoop(
          {
            scan: () => scanPaths(args),
            watchedDirectories: () => watchedDirectories(args),
            rescanMs: args.rescanSeconds * 1000,
            clock,
            log,
          },
          signal,
        ),
      allocate: (ids, devices) =>
        allocatePaths(
          args,
          devices.filter(({ id }) => ids.includes(id)).map((device) => device as PathDevice),
        ),
    }
  },
})
