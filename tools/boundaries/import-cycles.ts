/** The files of a package and the files that each of them imports. Paths are relative to the package. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** A cycle among the children of one folder. */
export interface ImportCycle {
  /** The folder, relative to the package. The empty string is the package itself. */
  readonly folder: string
  /** Names of files and subfolders, in import order. The last one imports the first one. */
  readonly members: readonly string[]
  /** One import per step of the cycle, as `importer -> imported`. */
  readonly imports: readonly string[]
}

type ChildGraph = Map<string, Map<string, string>>

/**
 * Finds import cycles at every level of a folder tree.
 *
 * At each level, a file or a whole subfolder counts as one member. This covers cycles between files, cycles between
 * folders, and upward imports: a subfolder that imports a file of a parent folder which itself depends on the subfolder.
 *
 * @returns One cycle per strongly connected group of members. Empty means that the imports form a hierarchy.
 */
export function importCycles(graph: ImportGraph): readonly ImportCycle[] {
  const levels = new Map<string, ChildGraph>()
  for (const [importer, imported] of graph) {
    for (const target of imported) addEdge(levels, importer, target)
  }
  return [...levels].flatMap(([folder, children]) => cyclesOf(folder, children))
}

function addEdge(levels: Map<string, ChildGraph>, importer: string, imported: string): void {
  if (importer === imported) return
  const from = importer.split('/')
  const to = imported.split('/')
  let depth = 0
  while (from[depth] === to[depth]) depth++
  const folder = from.slice(0, depth).join('/')
  const children = levels.get(folder) ?? new Map<string, Map<string, string>>()
  const targets = children.get(from[depth] ?? '') ?? new Map<string, string>()
  const child = to[depth] ?? ''
  if (!targets.has(child)) targets.set(child, `${importer} -> ${imported}`)
  levels.set(folder, children.set(from[depth] ?? '', targets))
}

function cyclesOf(folder: string, children: ChildGraph): readonly ImportCycle[] {
  const reported = new Set<string>()
  return [...children.keys()].flatMap((start) => {
    const members = reported.has(start) ? undefined : shortestCycle(children, start)
    if (members === undefined) return []
    for (const member of members) reported.add(member)
    const imports = members.map((member, index) => {
      const next = members[(index + 1) % members.length] ?? member
      return children.get(member)?.get(next) ?? ''
    })
    return [{ folder, members, imports }]
  })
}

/** Returns the shortest path from a member back to itself, or undefined when there is none. */
function shortestCycle(children: ChildGraph, start: string): readonly string[] | undefined {
  const paths = [[start]]
  const visited = new Set<string>()
  for (const path of paths) {
    for (const next of children.get(path.at(-1) ?? start)?.keys() ?? []) {
      if (next === start) return path
      if (visited.has(next)) continue
      visited.add(next)
      paths.push([...path, next])
    }
  }
  return undefined
}
