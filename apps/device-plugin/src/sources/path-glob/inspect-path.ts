import { errorText } from '@berth/text/error-text'
import type { BigIntStats } from 'node:fs'
import { access, constants, lstat, readlink, realpath, stat } from 'node:fs/promises'
import { numaNodes, type PathCalls } from '@berth/device-discovery'
import { readHealthFile, type HealthReading, type HealthStatus } from '../read-health-file.ts'
import { insertName } from './path-device.ts'
import type { PathGlobArgs } from './path-glob-args.ts'

/** The calls of `node:fs/promises` for one path. Tests count them. */
export interface InspectCalls extends PathCalls {
  readonly stat: (path: string, options: { readonly bigint: true }) => Promise<BigIntStats>
  readonly realpath: (path: string) => Promise<string>
  readonly readHealthFile: typeof readHealthFile
}

/** The calls of this node. */
export const nodeCalls: InspectCalls = { lstat, readlink, stat, realpath, readHealthFile }

/** The file or device to which a matching path leads. */
interface PathTarget {
  readonly real: string
  readonly hostPath: string
  readonly isDeviceNode: boolean
  readonly numaNodes: readonly number[]
  /** Why the device is unhealthy. */
  readonly problem?: string
  /** True if the path cannot be followed, so that `real` is the path itself. */
  readonly isUnresolved?: boolean
}

/** Knowledge about a path from an earlier scan. */
export interface KnownPath {
  readonly identity: string
  readonly target: PathTarget
  /** The target is resolved again after this time, because the owners of directories may change. */
  readonly expiresAtMs: number
  readonly health?: HealthReading
}

/** How long a path that still leads to the same file is not resolved again. */
const RESOLVE_INTERVAL_MS = 60_000

/** Dependencies of {@link inspectPath}. */
export interface InspectOptions {
  readonly args: PathGlobArgs
  /** The directory below which the target must be. */
  readonly directory: string
  readonly known: KnownPath | undefined
  readonly isRootControlled: (path: string) => Promise<boolean>
  readonly calls: InspectCalls
  readonly nowMs: number
  readonly monotonicMs: number
}

/**
 * Follows a matching path and reads its health. A path that leads to the same file as before costs one `stat`, and one
 * more for an unchanged health file.
 *
 * @returns Undefined if the target is missing.
 */
export async function inspectPath(path: string, options: InspectOptions): Promise<KnownPath | undefined> {
  const { args, known, calls, nowMs, monotonicMs } = options
  const problemOf = (error: unknown): string => {
    const { code } = error as NodeJS.ErrnoException
    return `${path} cannot be used (${code ?? errorText(error)})`
  }
  try {
    const stats = await calls.stat(path, { bigint: true })
    const identity = `${stats.dev}/${stats.ino}/${stats.rdev}/${stats.mode}/${stats.ctimeNs}`
    const isKnown = known?.identity === identity && monotonicMs < known.expiresAtMs
    const { target, expiresAtMs } = isKnown
      ? known
      : { target: await resolveTarget(path, stats, options), expiresAtMs: monotonicMs + RESOLVE_INTERVAL_MS }
    if (args.healthFile === undefined || target.problem !== undefined) return { identity, target, expiresAtMs }
    const healthFile = insertName(args.healthFile, path)
    const health = await calls.readHealthFile(healthFile, { last: known?.health, nowMs })
    // The same object tells the caller that nothing changed.
    return isKnown && health === known.health ? known : { identity, target, expiresAtMs, health }
  } catch (error) {
    // The target is missing, or it was unplugged between the glob and the stat.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return withProblem(path, undefined, problemOf(error))
  }
}

/**
 * Returns a path that cannot be used now, with what an earlier scan knows about its target.
 *
 * @returns The same object as before if it has the same problem.
 */
export function withProblem(path: string, known: KnownPath | undefined, problem: string): KnownPath {
  if (known?.target.problem === problem) return known
  const target = known === undefined ? unresolved(path, problem) : { ...known.target, problem }
  return { identity: '', target, expiresAtMs: -Infinity }
}

/** Returns the status of a path that was inspected. */
export function statusOf({ target, health }: KnownPath): HealthStatus {
  if (target.problem !== undefined) return { health: 'Unhealthy', reason: target.problem }
  return health?.status ?? { health: 'Healthy' }
}

async function resolveTarget(
  path: string,
  stats: BigIntStats,
  { args, directory, isRootControlled, calls }: InspectOptions,
): Promise<PathTarget> {
  const real = await calls.realpath(path)
  const kind = stats.isCharacterDevice() ? 'char' : stats.isBlockDevice() ? 'block' : undefined
  const isDeviceNode = kind !== undefined
  if (!isDeviceNode && !args.followOutside && !(await isBelow(real, directory, calls))) {
    const problem = `${path} leads outside ${directory}; set followOutside to allow it`
    return unresolved(path, problem)
  }
  const hostPath = real !== path && (await isRootControlled(path)) ? path : real
  const nodes = args.topology && isDeviceNode ? await numaNodes(kind, Number(stats.rdev)) : []
  const problem = args.checkReadable ? await unreadable(path) : undefined
  return { real, hostPath, isDeviceNode, numaNodes: nodes, ...(problem !== undefined && { problem }) }
}

function unresolved(path: string, problem: string): PathTarget {
  return { real: path, hostPath: path, isDeviceNode: false, numaNodes: [], problem, isUnresolved: true }
}

async function unreadable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.R_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return `${path} cannot be read (${code ?? String(error)})`
  }
}

/** Returns whether a resolved path is below a directory, which may itself be reached through a link. */
async function isBelow(real: string, directory: string, calls: InspectCalls): Promise<boolean> {
  const root = await calls.realpath(directory)
  return real !== root && real.startsWith(root === '/' ? root : `${root}/`)
}
