import { errorText } from '@berth/text/error-text'
import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import type { Allocation, Device, DeviceMount, DeviceNode } from '@berth/types'
import { access, constants, glob, realpath, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { deviceId } from '../device-id.ts'
import { createRootControl, type PathCalls } from './root-control.ts'
import { readHealthFile, type HealthStatus } from '../read-health-file.ts'
import { numaNodes } from '../numa-nodes.ts'
import { pathGlobArgs, type PathGlobArgs } from './path-glob-args.ts'
import { printableLine } from '../../printable.ts'
import { scanLoop, type ScanResult } from '../scan-loop.ts'

/** A device found by `path-glob`. */
export interface PathDevice extends Device {
  /** The path that matched, and the path it resolves to. */
  readonly paths: readonly [matched: string, real: string]
  /**
   * The path for the container runtime. A link that only root can change is handed over itself: the kubelet reuses the
   * allocation when a container restarts, and the runtime resolves the link again. Any other link is resolved, because a
   * user could replace it after the check.
   */
  readonly hostPath: string
  /** True if the container gets a device node; otherwise it gets a bind mount. */
  readonly isDeviceNode: boolean
}

type RootControl = ReturnType<typeof createRootControl>

const insertName = (pattern: string, path: string): string => pattern.replaceAll('{name}', basename(path))

const containerPathOf = (path: string, { containerPath }: PathGlobArgs): string =>
  containerPath === undefined ? path : insertName(containerPath, path)

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

/** One device per slot of a path. */
function devicesOf(
  paths: PathDevice['paths'],
  slots: number,
  rest: Omit<PathDevice, 'id' | 'paths'>,
): readonly PathDevice[] {
  const numbers = slots === 1 ? [undefined] : Array.from({ length: slots }, (_, slot) => slot)
  return numbers.map((slot) => ({ ...rest, id: deviceId(paths[0], slot), paths }))
}

/** Whether a resolved path is below a directory, which may itself be reached through a link. */
async function isBelow(real: string, directory: string): Promise<boolean> {
  const root = await realpath(directory)
  return real !== root && real.startsWith(root === '/' ? root : `${root}/`)
}

async function devicesForPath(
  path: string,
  directory: string,
  args: PathGlobArgs,
  { seen, isRootControlled }: { readonly seen: Set<string>; readonly isRootControlled: RootControl },
): Promise<readonly PathDevice[]> {
  const unusable = (reason: string): readonly PathDevice[] =>
    devicesOf([path, path], args.slots, { health: 'Unhealthy', reason, isDeviceNode: false, hostPath: path })
  try {
    const real = await realpath(path)
    if (seen.has(real)) return []
    const stats = await stat(real)
    const kind = stats.isCharacterDevice() ? 'char' : stats.isBlockDevice() ? 'block' : undefined
    if (kind === undefined && !args.followOutside && !(await isBelow(real, directory))) {
      return unusable(`${path} leads outside ${directory}; set followOutside to allow it`)
    }
    seen.add(real)
    const status = await readHealth(path, args)
    const nodes = args.topology && kind !== undefined ? await numaNodes(kind, stats.rdev) : []
    const numa = nodes.length > 0 && { numaNodes: nodes }
    const hostPath = real !== path && (await isRootControlled(path)) ? path : real
    return devicesOf([path, real], args.slots, { ...status, ...numa, isDeviceNode: kind !== undefined, hostPath })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The target is missing, or it was unplugged between the glob and the stat.
    if (code === 'ENOENT') return []
    return unusable(`${path} cannot be used (${code ?? errorText(error)})`)
  }
}

/**
 * Returns a device for every matching path. Paths that resolve to the same file are one device with the first name.
 * A path that cannot be used is an unhealthy device. When a directory cannot be read, its devices of the previous scan
 * stay as unhealthy devices, and the result has a failure.
 *
 * @param options.previous - Devices of the previous scan.
 * @param options.calls - The calls that check who can change a link.
 */
export async function scanPaths(
  args: PathGlobArgs,
  { previous = [], calls }: { readonly previous?: readonly PathDevice[]; readonly calls?: PathCalls | undefined } = {},
): Promise<ScanResult<PathDevice>> {
  const context = { seen: new Set<string>(), isRootControlled: createRootControl(calls) }
  const directoryByMatch = new Map<string, string>()
  const unreadable = new Map<string, string>()
  for (const pattern of args.paths) {
    const directory = fixedDirectory(pattern)
    try {
      // `glob` finds nothing in a directory that it cannot read, and does not report it.
      await access(directory, constants.R_OK | constants.X_OK)
      for await (const path of glob(pattern)) directoryByMatch.set(path, directory)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') unreadable.set(directory, `${directory} cannot be read (${code ?? errorText(error)})`)
    }
  }
  const devices: PathDevice[] = []
  // A device that was offered keeps its name and its container path when another path would take them.
  const known = new Set(previous.filter(({ health }) => health === 'Healthy').map(({ paths }) => paths[0]))
  const matches = [...directoryByMatch].sort(
    ([a], [b]) => Number(known.has(b)) - Number(known.has(a)) || (a < b ? -1 : 1),
  )
  const hostPaths = new Map<string, string>()
  for (const [path, directory] of matches) {
    const containerPath = containerPathOf(path, args)
    for (const device of await devicesForPath(path, directory, args, context)) {
      const first = hostPaths.get(containerPath) ?? path
      hostPaths.set(containerPath, first)
      const reason = `${first} has the same container path ${containerPath}`
      devices.push(first === path ? device : { ...device, health: 'Unhealthy', reason })
    }
  }
  devices.sort(({ paths: [a] }, { paths: [b] }) => (a === b ? 0 : a < b ? -1 : 1))
  if (unreadable.size === 0) return { devices }
  const found = new Set(devices.map(({ id }) => id))
  for (const [directory, reason] of unreadable) {
    const lost = previous.filter(({ id, paths }) => !found.has(id) && paths[0].startsWith(directory))
    devices.push(...lost.map((device) => ({ ...device, health: 'Unhealthy' as const, reason })))
  }
  return { devices, failure: new Error(printableLine([...unreadable.values()].join('; '))) }
}

/** Returns the part of a pattern before its first wildcard: the directory below which its matches are. */
function fixedDirectory(pattern: string): string {
  const parts = pattern.split('/')
  const firstWildcard = parts.findIndex((part) => /[*?[{]/.test(part))
  return firstWildcard === -1 ? dirname(pattern) : parts.slice(0, firstWildcard).join('/') || '/'
}

/** Returns the directories in which matches may appear. */
export function watchedDirectories(args: Pick<PathGlobArgs, 'paths' | 'healthFile'>): readonly string[] {
  const patterns = [...args.paths, ...(args.healthFile === undefined ? [] : [args.healthFile])]
  return [...new Set(patterns.map(fixedDirectory))].sort()
}

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

/** Creates the source {@link pathGlobSource}, with the calls that check who can change a link. */
export function createPathGlobSource(calls?: PathCalls): DeviceSourcePlugin<PathGlobArgs> {
  return defineDeviceSource({
    apiVersion: 'berth.dev/v1',
    name: 'path-glob',
    description: 'Host paths that match a pattern. They may appear and disappear.',
    argsSchema: pathGlobArgs,
    create(args, { clock, log }) {
      let known: readonly PathDevice[] = []
      return {
        discover: (signal) =>
          scanLoop(
            {
              scan: async () => {
                const found = await scanPaths(args, { previous: known, calls })
                known = found.devices
                return found
              },
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
}

/** Host paths by glob pattern: serial ports, cameras, dongles, sockets. They may appear and disappear. */
export const pathGlobSource: DeviceSourcePlugin<PathGlobArgs> = createPathGlobSource()
