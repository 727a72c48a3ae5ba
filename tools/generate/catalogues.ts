import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ConfigDefinition } from '@berth/process/config'
import type { MetricDefinition } from '@berth/process/metrics'
import type { ErrorDescription } from '@berth/types'

/** What one room says of itself as data. */
export interface Catalogue {
  /** From the root of the repository: `apps/scheduler`. */
  readonly room: string
  readonly errors: readonly ErrorDescription[]
  readonly metrics: readonly MetricDefinition[]
  readonly config: ConfigDefinition | undefined
}

const rooms = '{apps,packages,plugins}/*'
// There BerthError itself is defined, which throws nothing.
const noCatalogue = 'packages/types/src/errors.ts'

/**
 * Reads the catalogues of every room that has one: `<room>Errors` from src/errors.ts and, in apps, `metricDefinitions`
 * from src/metrics.ts and `configDefinition` from src/config.ts. An app with folders keeps the last two in
 * src/metrics/metric-definitions.ts and src/config/config-definition.ts. Rooms are found by their files, so none is
 * listed here.
 *
 * @returns Sorted by room; a room with no catalogue at all is not there.
 * @throws Error naming a file that should hold a catalogue and does not.
 */
export async function readCatalogues(root: string): Promise<readonly Catalogue[]> {
  const byRoom = new Map<string, Catalogue>()
  const files = globSync(
    [
      `${rooms}/src/errors.ts`,
      `apps/*/src/{metrics,metrics/metric-definitions}.ts`,
      `apps/*/src/{config,config/config-definition}.ts`,
    ],
    { cwd: root },
  )
  for (const file of files.toSorted()) {
    if (file === noCatalogue) continue
    const room = file.replace(/\/src\/.*$/, '')
    const before = byRoom.get(room) ?? { room, errors: [], metrics: [], config: undefined }
    const exported = (await import(/* @vite-ignore */ pathToFileURL(join(root, file)).href)) as Record<string, unknown>
    byRoom.set(room, { ...before, ...catalogueOf(file, exported) })
  }
  return [...byRoom.values()].toSorted((a, b) => (a.room < b.room ? -1 : 1))
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
