import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns the files of all fuzz targets in the repository, sorted. */
export function listTargets(): readonly string[] {
  return globSync('{packages,apps,plugins}/*/test/fuzz/*.fuzz.ts', { cwd: root })
    .toSorted()
    .map((file) => join(root, file))
}
