/**
 * Writes the files that come from the code: `node -C @berth/source tools/generate.ts`.
 * With --check it writes nothing, names the files that differ, and then exits with 1.
 */
import { commandLineOrExit } from '@berth/process/command'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { differingFiles } from './generate/differing-files.ts'
import { generatedFiles } from './generate/generated-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const line = commandLineOrExit(
  {
    name: 'node -C @berth/source tools/generate.ts',
    summary: 'Writes the files that are generated from the code: reference pages, chart schema and version.',
    flags: [{ name: 'check', description: 'Write nothing; name the files that differ and exit with 1.' }],
    examples: [{ command: 'node -C @berth/source tools/generate.ts', description: 'After a change of a schema' }],
  },
  process.argv.slice(2),
)
const isCheck = line.has('check')

const files = await generatedFiles(root)
for (const path of differingFiles(root, files)) {
  if (isCheck) {
    console.error(`${path} differs from what the code says; run: node -C @berth/source tools/generate.ts`)
    process.exitCode = 1
  } else {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), files.get(path) ?? '')
    console.log(`wrote ${path}`)
  }
}
