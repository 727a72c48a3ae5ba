import { isDeepStrictEqual } from 'node:util'

/** The state of a cluster at one moment. */
export interface ClusterState {
  /** Objects by group, kind, namespace and name. */
  readonly objects: ReadonlyMap<string, unknown>
  /** Lines about files in the plugin directories, by node. */
  readonly files: ReadonlyMap<string, readonly string[]>
}

/** The differences of two states. */
export interface StateDiff {
  /** One sentence for each difference, sorted. */
  readonly differences: readonly string[]
  /** Resources of a removed device plugin that kubelets still report, as `NODE keeps NAME CAPACITY/ALLOCATABLE`, sorted. */
  readonly kept: readonly string[]
}

type Tree = { readonly [key: string]: unknown }

/**
 * Compares everything except resourceVersions, heartbeats, the times of managed fields and the kubelet's list of cached
 * images. A resource of a removed device plugin (allocatable 0) is listed separately: the kubelet reports its capacity for five
 * more minutes, and zero from then on. The capacity of a plugin that was removed before `before` may also become zero.
 *
 * @param served - Resources that the device plugin served between the two states. A zero of any other resource is a difference.
 */
export function diffStates(before: ClusterState, after: ClusterState, served: readonly string[]): StateDiff {
  const differences: string[] = []
  const kept: string[] = []
  for (const key of new Set([...before.objects.keys(), ...after.objects.keys()])) {
    const [old, now] = [before.objects.get(key), after.objects.get(key)]
    if (old === undefined) differences.push(`${key} is new`)
    else if (now === undefined) differences.push(`${key} is gone`)
    else {
      const left = keptByKubelet(old as Tree, now as Tree, served)
      const { name: node } = (now as { readonly metadata: { readonly name?: string } }).metadata
      for (const name of left) kept.push(`${node} keeps ${name} ${unitsOf(now as Tree, name)}`)
      const zeros = [...left, ...expired(old as Tree, now as Tree)]
      differences.push(...treeDifferences(comparable(old, zeros), comparable(now, zeros), key))
    }
  }
  for (const [node, lines] of after.files) {
    const old = before.files.get(node) ?? []
    differences.push(...lines.filter((line) => !old.includes(line)).map((line) => `${node} has ${line}`))
    differences.push(...old.filter((line) => !lines.includes(line)).map((line) => `${node} had ${line}`))
  }
  return { differences: differences.toSorted(), kept: kept.toSorted() }
}

/** Returns the served resources of which a node offers nothing now and offered nothing before. */
function keptByKubelet(old: Tree, now: Tree, served: readonly string[]): readonly string[] {
  const [allocatable, before] = [amounts(now, 'allocatable'), amounts(old, 'allocatable')]
  return served.filter((name) => allocatable[name] === '0' && (before[name] ?? '0') === '0')
}

/** Returns the resources of which a node offered nothing before and whose capacity is zero now. */
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

const volatileKeys = new Set(['resourceVersion', 'lastHeartbeatTime', 'time', 'images', 'f:images'])

/** Returns a tree without volatile keys and without the names in `zeros`, or undefined if nothing else is in it. */
function comparable(value: unknown, zeros: readonly string[], key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => comparable(each, zeros))
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value)
  const counted = names.filter((name) => !volatileKeys.has(name) && !zeros.includes(name.replace(/^f:/, '')))
  // A managed-fields entry without fields counts as absent.
  if (counted.length === 0 && (names.length > 0 || key === 'fieldsV1')) return undefined
  const entries = Object.entries(value).filter(([name]) => counted.includes(name))
  return Object.fromEntries(
    entries
      .map(([name, each]) => [name, comparable(each, zeros, name)] as const)
      .filter(([, each]) => each !== undefined),
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
