import { withDeadline } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { Clock } from '@berth/types'
import { access, constants, glob, opendir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { printableLine } from '../../printable.ts'
import { createRootControl, deviceId, type ScanResult } from '@berth/device-discovery'
import { createAnswerTimeout } from './answer-timeout.ts'
import {
  inspectPath,
  nodeCalls,
  statusOf,
  withProblem,
  type InspectCalls,
  type InspectOptions,
  type KnownPath,
} from './inspect-path.ts'
import { containerPathOf, type PathDevice } from './path-device.ts'
import type { PathGlobArgs } from './path-glob-args.ts'

/** Bound on paths that are inspected at the same time. Each call takes one of the 16 threads that serve all files. */
const MAX_PATHS_AT_ONCE = 8
/** A path that takes longer, of a dead network file system or a wedged driver, is an unhealthy device. */
const PATH_TIMEOUT_MS = 2_000
/** A directory that takes longer cannot be read. */
const DIRECTORY_TIMEOUT_MS = 4_000

/** Bounds of one resource. More would not fit into the memory of the plugin, which serves other resources as well. */
const LIMITS = { paths: 5_000, entries: 20_000 }

/** The answer for a path, without knowledge if the target is missing. */
interface Inspected {
  readonly known: KnownPath | undefined
}

/** Result of a scan, which the next scan starts from. */
interface FoundPath {
  readonly path: string
  readonly known: KnownPath
  readonly conflict: string | undefined
  readonly devices: readonly PathDevice[]
}

/** Dependencies of {@link createPathScanner}. */
export interface PathScannerOptions {
  readonly calls?: InspectCalls
  /** Maximum numbers of matching paths, and of entries in a directory. */
  readonly limits?: typeof LIMITS
  readonly clock: Clock
}

/**
 * Creates a function that scans for the matching paths and returns a device per path and slot. Paths that resolve to the
 * same file are one device with the first name. A path that cannot be used is an unhealthy device. When a directory
 * cannot be read, its devices of the previous scan stay as unhealthy devices, and the result has a failure. A path that
 * does not answer holds up no other one, and is not asked again until its call has ended.
 * An unchanged path has the same device object as before.
 */
export function createPathScanner(
  args: PathGlobArgs,
  { calls = nodeCalls, limits = LIMITS, clock }: PathScannerOptions,
): () => Promise<ScanResult<PathDevice>> {
  let found: ReadonlyMap<string, FoundPath> = new Map()
  /** Includes paths that are not devices because another path leads to the same file. */
  let inspected: ReadonlyMap<string, KnownPath> = new Map()
  let previous: readonly PathDevice[] = []
  const timeout = createAnswerTimeout(PATH_TIMEOUT_MS, clock)
  /** Paths and directories whose calls have not ended, and block a thread each. */
  const unanswered = new Set<string>()

  /** Returns undefined if the path does not answer in time. Its thread is blocked until it answers. */
  async function inspectInTime(path: string, options: InspectOptions): Promise<Inspected | undefined> {
    const running = inspectPath(path, options)
    const answer = await timeout.wait(running.then((known) => ({ known })))
    if (answer !== undefined) return answer
    unanswered.add(path)
    void running.finally(() => unanswered.delete(path))
    return undefined
  }

  async function inspect(directoryByMatch: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, KnownPath>> {
    const isRootControlled = createRootControl(calls)
    const times = { nowMs: clock.now(), monotonicMs: clock.monotonic() }
    const results = new Map<string, KnownPath>()
    const setProblem = (path: string, problem: string): void =>
      void results.set(path, withProblem(path, inspected.get(path), problem))
    const queue = [...directoryByMatch].values()
    const work = async (): Promise<void> => {
      for (const [path, directory] of queue) {
        const options = { args, directory, known: inspected.get(path), isRootControlled, calls, ...times }
        const isAsked = !unanswered.has(path)
        const answer = isAsked ? await inspectInTime(path, options) : undefined
        if (answer?.known !== undefined) results.set(path, answer.known)
        if (answer === undefined) setProblem(path, `${path} does not answer`)
        // The call goes on, so another one instead of it would be one too many.
        if (isAsked && answer === undefined) return
      }
    }
    await Promise.all(Array.from({ length: Math.max(0, MAX_PATHS_AT_ONCE - unanswered.size) }, work))
    for (const [path] of queue) {
      const isAnswerMissing = unanswered.has(path)
      const reason = `was not inspected, because ${unanswered.size} other paths do not answer`
      setProblem(path, `${path} ${isAnswerMissing ? 'does not answer' : reason}`)
    }
    return results
  }

  /** Decides in order which paths are devices, because the first path takes a file or a container path. */
  function toFoundPaths(paths: ReadonlyMap<string, KnownPath>): ReadonlyMap<string, FoundPath> {
    // A device keeps its name and its container path when another path would take them, also while it is unhealthy.
    const isDevice = (path: string): boolean => found.has(path) && found.get(path)?.conflict === undefined
    const ordered = [...paths].sort(([a], [b]) => Number(isDevice(b)) - Number(isDevice(a)) || (a < b ? -1 : 1))
    const seen = new Set<string>()
    const firstByContainerPath = new Map<string, string>()
    const next = new Map<string, FoundPath>()
    for (const [path, known] of ordered) {
      const { real, isUnresolved = false } = known.target
      if (!isUnresolved && seen.has(real)) continue
      if (!isUnresolved) seen.add(real)
      const containerPath = containerPathOf(path, args)
      const first = firstByContainerPath.get(containerPath) ?? path
      firstByContainerPath.set(containerPath, first)
      const conflict = first === path ? undefined : `${first} has the same container path ${containerPath}`
      const last = found.get(path)
      const isUnchanged = last?.known === known && last.conflict === conflict
      next.set(
        path,
        isUnchanged ? last : { path, known, conflict, devices: devicesOf(path, known, conflict, args.slots) },
      )
    }
    return next
  }

  return async () => {
    const { directoryByMatch, unreadable } = await findMatches(args, { known: found, limits, unanswered, clock })
    inspected = await inspect(directoryByMatch)
    found = toFoundPaths(inspected)
    const ordered = [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
    const devices = ordered.flatMap((each) => each.devices)
    const ids = new Set(devices.map(({ id }) => id))
    for (const [directory, reason] of unreadable) {
      const lost = previous.filter(({ id, paths }) => !ids.has(id) && isIn(paths[0], directory))
      devices.push(...lost.map((device) => ({ ...device, health: 'Unhealthy' as const, reason })))
    }
    previous = devices
    if (unreadable.size === 0) return { devices }
    return { devices, failure: new Error(printableLine([...unreadable.values()].join('; '))) }
  }
}

function isIn(path: string, directory: string): boolean {
  return path.startsWith(directory === '/' ? directory : `${directory}/`)
}

/** One device per slot of a path. */
function devicesOf(path: string, known: KnownPath, conflict: string | undefined, slots: number): readonly PathDevice[] {
  const { real, hostPath, isDeviceNode, numaNodes } = known.target
  const status = conflict === undefined ? statusOf(known) : ({ health: 'Unhealthy', reason: conflict } as const)
  const numa = numaNodes.length > 0 && { numaNodes }
  const numbers = slots === 1 ? [undefined] : Array.from({ length: slots }, (_, slot) => slot)
  return numbers.map((slot) => ({
    ...status,
    ...numa,
    id: deviceId(path, slot),
    paths: [path, real],
    hostPath,
    isDeviceNode,
  }))
}

interface MatchOptions {
  /** The paths of the previous scan, which others do not displace. */
  readonly known: { readonly size: number; has(path: string): boolean }
  readonly limits: typeof LIMITS
  /** Directories that do not answer, which the search adds to. */
  readonly unanswered: Set<string>
  readonly clock: Clock
}

/** Returns the matching paths with the directory of their pattern, and why directories could not be read completely. */
async function findMatches(
  args: PathGlobArgs,
  { known, limits, unanswered, clock }: MatchOptions,
): Promise<{
  readonly directoryByMatch: ReadonlyMap<string, string>
  readonly unreadable: ReadonlyMap<string, string>
}> {
  const directoryByMatch = new Map<string, string>()
  const unreadable = new Map<string, string>()
  let room = limits.paths - known.size
  for (const pattern of args.paths) {
    const directory = fixedDirectory(pattern)
    const search = async (signal: AbortSignal): Promise<void> => {
      // `glob` finds nothing in a directory that it cannot read, and does not report it.
      await access(directory, constants.R_OK | constants.X_OK)
      await refuseHugeDirectory(directory, limits.entries)
      for await (const path of glob(pattern)) {
        if (signal.aborted) return
        if (known.has(path) || directoryByMatch.has(path) || room-- > 0) directoryByMatch.set(path, directory)
        else unreadable.set(directory, `more than ${limits.paths} paths match`)
      }
    }
    try {
      if (unanswered.has(directory)) throw new Error('it does not answer')
      if (unanswered.size >= MAX_PATHS_AT_ONCE) throw new Error(`${unanswered.size} other paths do not answer`)
      await withDeadline({ clock, deadlineMs: DIRECTORY_TIMEOUT_MS }, async (signal) => {
        signal.addEventListener('abort', () => unanswered.add(directory), { once: true })
        await search(signal).finally(() => unanswered.delete(directory))
      })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') unreadable.set(directory, `${directory} cannot be read (${code ?? errorText(error)})`)
    }
  }
  return { directoryByMatch, unreadable }
}

/** Refuses a directory whose names alone would take most of the memory. `glob` reads a directory as a whole. */
async function refuseHugeDirectory(directory: string, maxEntries: number): Promise<void> {
  let entries = 0
  for await (const _ of await opendir(directory, { bufferSize: 1_000 })) {
    if (++entries > maxEntries) throw new Error(`it has more than ${maxEntries} entries`)
  }
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
