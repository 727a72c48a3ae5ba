/** Folders of `e2e/scenarios` whose scenarios share something, so that they run one after the other. */
export interface Lane {
  /** Name of the vitest project. */
  readonly name: string
  readonly folders: readonly string[]
  /** Whether its scenarios get the cluster. Otherwise, each one starts what it needs, at a lower priority. */
  readonly usesCluster: boolean
}

/**
 * The lanes, which run at the same time. Scenarios with the cluster mostly wait for its kubelets, and some measure how long a
 * node has no devices. Those of `api-server` mostly compute, so their priority is lower.
 */
export const lanes: readonly Lane[] = [
  { name: 'cluster', folders: ['any', 'nodes', 'slow'], usesCluster: true },
  { name: 'api-server', folders: ['api-server'], usesCluster: false },
]

/**
 * Returns the lanes that have a file to run.
 *
 * @param files - Paths relative to `e2e/scenarios`.
 * @param run.excluded - Folders that the plan excludes.
 * @param run.filters - Runs only files whose path contains one of these. Empty: all files.
 */
export function lanesToRun(
  files: readonly string[],
  run: { readonly excluded: readonly string[]; readonly filters: readonly string[] },
): readonly Lane[] {
  const isWanted = (path: string): boolean =>
    run.filters.length === 0 || run.filters.some((filter) => `scenarios/${path}`.includes(filter))
  return lanes.filter(({ folders }) =>
    files.some((path) => {
      const [folder = ''] = path.split('/')
      return folders.includes(folder) && !run.excluded.includes(folder) && isWanted(path)
    }),
  )
}
