import { deviceId, type HostFiles, inspectNode, type StatNode } from '@berth/device-discovery'
import type { Device } from '@berth/plugin-api'
import { type GroupPath, KEY, type PathGroupsArgs } from './args.ts'
import { type MatchingPath, matchingPaths } from './match-paths.ts'

/** A device node that a container gets. */
interface GroupNode {
  readonly hostPath: string
  readonly containerPath: string
  readonly permissions: string
}

/** Device nodes that are one device. */
export interface PathGroup extends Device {
  readonly nodes: readonly GroupNode[]
}

/** Dependencies of {@link scanGroups}. */
export interface ScanGroupsOptions {
  readonly host: HostFiles
  readonly resourceName: string
  readonly statNode?: StatNode | undefined
}

/** One path of the arguments, with the paths that match it. */
interface FoundPath extends GroupPath {
  readonly matches: readonly MatchingPath[]
}

/** Returns one device for each key, or one in all if no path has a key. Sorted by id. */
export async function scanGroups(args: PathGroupsArgs, options: ScanGroupsOptions): Promise<readonly PathGroup[]> {
  const found = await Promise.all(
    args.paths.map(async (path): Promise<FoundPath> => ({
      ...path,
      matches: await matchingPaths(path.path, options.host),
    })),
  )
  const keyed = found.filter(({ path, optional }) => path.includes(KEY) && !optional)
  const keys: ReadonlySet<string | undefined> =
    keyed.length === 0 ? new Set([undefined]) : new Set(keyed.flatMap(({ matches }) => matches.map(({ key }) => key)))
  const groups = await Promise.all([...keys].map((key) => groupOf(key, { args, found, ...options })))
  return groups.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function groupOf(
  key: string | undefined,
  options: ScanGroupsOptions & { readonly args: PathGroupsArgs; readonly found: readonly FoundPath[] },
): Promise<PathGroup> {
  const { args, found, host, resourceName, statNode } = options
  const nodes: GroupNode[] = []
  const paths: string[] = []
  const numa = new Set<number>()
  let problem: string | undefined
  for (const { path, containerPath, permissions, optional, matches } of found) {
    const own = matches.filter((match) => match.key === undefined || match.key === key)
    if (own.length === 0 && !optional) problem ??= `${withKey(path, key)} is missing`
    for (const match of own) {
      const node = await inspectNode(match.path, { host, statNode })
      if (node.problem !== undefined) {
        if (optional) continue
        problem ??= node.problem
      }
      for (const numaNode of node.numaNodes) numa.add(numaNode)
      paths.push(match.path)
      nodes.push({ hostPath: node.hostPath, containerPath: withKey(containerPath ?? match.path, key), permissions })
    }
  }
  const prefix = args.idPrefix ?? resourceName.slice(resourceName.lastIndexOf('/') + 1)
  return {
    id: deviceId(key === undefined ? `/${prefix}` : `/${prefix}/${key}`),
    ...(problem === undefined ? ({ health: 'Healthy' } as const) : ({ health: 'Unhealthy', reason: problem } as const)),
    paths,
    nodes,
    ...(numa.size > 0 && { numaNodes: [...numa].toSorted((a, b) => a - b) }),
  }
}

function withKey(path: string, key: string | undefined): string {
  return path.replaceAll(KEY, () => key ?? KEY)
}
