import { isDeepStrictEqual } from 'node:util'

/** What a cluster looks like at a moment. */
export interface ClusterState {
  /** Objects by group, kind, namespace and name. */
  readonly objects: ReadonlyMap<string, unknown>
  /** Lines about files in the plugin directories, by node. */
  readonly files: ReadonlyMap<string, readonly string[]>
}

/** How two states differ. */
export interface StateDiff {
  /** What is different, one sentence each; sorted. */
  readonly differences: readonly string[]
  /** What the kubelets keep of the device plugin that left, `NODE keeps NAME CAPACITY/ALLOCATABLE`; sorted. */
  readonly kept: readonly string[]
}

type Tree = { readonly [key: string]: unknown }

/**
 * Compares everything but resourceVersions, heartbeats, the times of managed fields and the kubelet's list of cached images.
 * What a device plugin served and a node offers none of now (allocatable 0) is listed apart: the kubelet keeps the capacity
 * for five minutes after the plugin left, and a zero from then on. Nor is it a difference when that zero comes meanwhile for
 * what an earlier plugin left.
 *
 * @param served - Names that the device plugin handed out in between. A zero of any other name is a difference.
 */
export function diffStates(before: ClusterState, after: ClusterState, served: readonly string[]): StateDiff {
  const differences: string[] = []
  const kept: string[] = []
  for (const key of new Set([...before.objects.keys(), ...after.objects.keys()])) {
    const [old, now] = [before.objects.get(key), after.objects.get(key)]
    if (old === undefined) differences.push(`${key} is new`)
    else if (now === undefined) differences.push(`${key} is gone`)
    else {
      const left = leftByPlugin(old as Tree, now as Tree, served)
      const { name: node } = (now as { readonly metadata: { readonly name?: string } }).metadata
      for (const name of left) kept.push(`${node} keeps ${name} ${unitsOf(now as Tree, name)}`)
      const zeros = [...left, ...expired(old as Tree, now as Tree)]
      differences.push(...treeDifferences(normal(old, zeros), normal(now, zeros), key))
    }
  }
  for (const [node, lines] of after.files) {
    const old = before.files.get(node) ?? []
    differences.push(...lines.filter((line) => !old.includes(line)).map((line) => `${node} has ${line}`))
    differences.push(...old.filter((line) => !lines.includes(line)).map((line) => `${node} had ${line}`))
  }
  return { differences: differences.toSorted(), kept: kept.toSorted() }
}

/** Names that were served, of which a node offers nothing now, and offered nothing before. */
function leftByPlugin(old: Tree, now: Tree, served: readonly string[]): readonly string[] {
  const [allocatable, before] = [amounts(now, 'allocatable'), amounts(old, 'allocatable')]
  return served.filter((name) => allocatable[name] === '0' && (before[name] ?? '0') === '0')
}

/** Names of which a node offered nothing before, and of which it does not even name a capacity now. */
function expired(old: Tree, now: Tree): readonly string[] {
  const before = amounts(old, 'allocatable')
  return Object.keys(before).filter((name) => before[name] === '0' && unitsOf(now, name) === '0/0')
}

function amounts({ status }: Tree, field: 'capacity' | 'allocatable'): Readonly<Record<string, string>> {
  const found = (status as Tree | undefined)?.[field]
  return typeof found === 'object' && found !== null ? (found as Readonly<Record<string, string>>) : {}
}

const unitsOf = (node: Tree, name: string): string =>
  `${amounts(node, 'capacity')[name]}/${amounts(node, 'allocatable')[name]}`

const restless = new Set(['resourceVersion', 'lastHeartbeatTime', 'time', 'images', 'f:images'])

/** A tree without what changes by itself and without the names in `zeros`; undefined where nothing else was in it. */
function normal(value: unknown, zeros: readonly string[], key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => normal(each, zeros))
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value)
  const counted = names.filter((name) => !restless.has(name) && !zeros.includes(name.replace(/^f:/, '')))
  // An owner of nothing is as good as none.
  if (counted.length === 0 && (names.length > 0 || key === 'fieldsV1')) return undefined
  const entries = Object.entries(value).filter(([name]) => counted.includes(name))
  return Object.fromEntries(
    entries.map(([name, each]) => [name, normal(each, zeros, name)] as const).filter(([, each]) => each !== undefined),
  )
}

function treeDifferences(old: unknown, now: unknown, path: string): readonly string[] {
  if (isDeepStrictEqual(old, now)) return []
  const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null
  if (!isTree(old) || !isTree(now)) return [`${path}: ${brief(old)} became ${brief(now)}`]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) =>
    treeDifferences(old[name], now[name], `${path} ${name}`),
  )
}

const brief = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200)
