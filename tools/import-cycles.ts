/** Lists import cycles between files and folders of each package. Usage: `node tools/import-cycles.ts [PACKAGE_PATH...]` */
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importCycles } from './boundaries/import-cycles.ts'
import { packageImports } from './boundaries/package-imports.ts'

const root = join(import.meta.dirname, '..')
const all = globSync('{packages,apps,plugins,examples/plugins,charts}/*/package.json', { cwd: root })
  .map((manifest) => dirname(manifest))
  .concat('tools', 'e2e', 'bench')
let count = 0
for (const path of process.argv.length > 2 ? process.argv.slice(2) : all.toSorted()) {
  for (const { folder, imports } of importCycles(packageImports(root, path))) {
    count++
    console.log(`${join(path, folder)}:\n  ${imports.join('\n  ')}`)
  }
}
console.log(`${count} import cycles`)
process.exitCode = count === 0 ? 0 : 1
