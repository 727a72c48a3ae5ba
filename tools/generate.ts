/**
 * Writes the files that come from the code: `node -C @berth/source tools/generate.ts`.
 * With --check it writes nothing, names the files that differ, and then exits with 1.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { differingFiles } from './generate/differing-files.ts'
import { generatedFiles } from './generate/generated-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
const isCheck = words.includes('--check')
if (words.some((word) => word !== '--check')) {
  console.error('usage: node -C @berth/source tools/generate.ts [--check]')
  process.exit(2)
}

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
