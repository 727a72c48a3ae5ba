/** Lists import cycles between files and folders of each package. */
import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importCycles } from './boundaries/import-cycles.ts'
import { packageImports } from './boundaries/package-imports.ts'

const command: CommandDefinition = {
  name: 'node -C @berth/source tools/import-cycles.ts',
  summary: 'Lists import cycles between files and folders of each package.',
  arguments: [{ name: 'PACKAGE', description: 'Path of a package. Default: all.', isRepeatable: true }],
  flags: [],
  examples: [{ command: 'node -C @berth/source tools/import-cycles.ts packages/types', description: 'One package' }],
}
const root = join(import.meta.dirname, '..')
const all = globSync('{packages,apps,plugins,examples/plugins,charts}/*/package.json', { cwd: root })
  .map((manifest) => dirname(manifest))
  .concat('tools', 'e2e', 'bench')
const { words } = commandLineOrExit(command, process.argv.slice(2))
let count = 0
for (const path of words.length > 0 ? words : all.toSorted()) {
  for (const { folder, imports } of importCycles(packageImports(root, path))) {
    count++
    console.log(`${join(path, folder)}:\n  ${imports.join('\n  ')}`)
  }
}
console.log(`${count} import cycles`)
process.exitCode = count === 0 ? 0 : 1
