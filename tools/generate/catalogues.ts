import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ConfigDefinition } from '@berth/process/config'
import type { MetricDefinition } from '@berth/process/metrics'
import type { ErrorDescription } from '@berth/types'

/** The errors, metrics and configuration that one package declares as data. */
export interface Catalogue {
  /** Path from the root of the repository, for example `apps/scheduler`. */
  readonly packagePath: string
  readonly errors: readonly ErrorDescription[]
  readonly metrics: readonly MetricDefinition[]
  readonly config: ConfigDefinition | undefined
}

const packageGlob = '{apps,packages,plugins}/*'
// Defines BerthError itself and has no catalogue.
const noCatalogue = 'packages/types/src/errors.ts'

/**
 * Reads the catalogues of every package that has one: `<package>Errors` from src/errors.ts and, in apps, `metricDefinitions`
 * from src/metrics.ts and `configDefinition` from src/config.ts. An app with folders keeps the last two in
 * src/metrics/metric-definitions.ts and src/config/config-definition.ts. Packages are found by their files, so none
 * is listed here.
 *
 * @returns Sorted by package path. Packages without any catalogue are omitted.
 * @throws Error naming a file that lacks its expected catalogue.
 */
export async function readCatalogues(root: string): Promise<readonly Catalogue[]> {
  const byPackage = new Map<string, Catalogue>()
  const files = globSync(
    [
      `${packageGlob}/src/errors.ts`,
      `apps/*/src/{metrics,metrics/metric-definitions}.ts`,
      `apps/*/src/{config,config/config-definition}.ts`,
    ],
    { cwd: root },
  )
  for (const file of files.toSorted()) {
    if (file === noCatalogue) continue
    const packagePath = file.replace(/\/src\/.*$/, '')
    const before = byPackage.get(packagePath) ?? { packagePath, errors: [], metrics: [], config: undefined }
    const exported = (await import(/* @vite-ignore */ pathToFileURL(join(root, file)).href)) as Record<string, unknown>
    byPackage.set(packagePath, { ...before, ...catalogueOf(file, exported) })
  }
  return [...byPackage.values()].toSorted((a, b) => (a.packagePath < b.packagePath ? -1 : 1))
}

function catalogueOf(file: string, exported: Readonly<Record<string, unknown>>): Partial<Catalogue> {
  if (file.endsWith('/errors.ts')) {
    const lists = Object.entries(exported).filter(([name]) => name.endsWith('Errors'))
    if (lists.length === 0) throw new Error(`${file} exports no catalogue whose name ends in Errors`)
    return { errors: lists.flatMap(([, list]) => list as readonly ErrorDescription[]) }
  }
  if (/\/metrics\.ts$|\/metric-definitions\.ts$/.test(file)) {
    const definitions = exported['metricDefinitions']
    if (definitions === undefined) throw new Error(`${file} does not export metricDefinitions`)
    return { metrics: Object.values(definitions as Readonly<Record<string, MetricDefinition>>) }
  }
  const config = exported['configDefinition']
  if (config === undefined) throw new Error(`${file} does not export configDefinition`)
  return { config: config as ConfigDefinition }
}
