import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const run = promisify(execFile)
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }

async function contents(dir: string): Promise<Record<string, string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(files.sort().map(async (file) => [file.slice(dir.length), await readFile(file, 'utf8')])),
  )
}

// buf is one binary per platform. Without the package for this platform there is nothing to compare with.
const hasBuf = await run('buf', ['--version'], { env }).then(
  () => true,
  (error: unknown) => {
    process.stderr.write(`SKIPPED codegen check: buf does not run here (${String(error)})\n`)
    return false
  },
)

test.runIf(hasBuf)('src/gen equals the output of buf for proto/', async () => {
  const out = await mkdtemp(join(tmpdir(), 'codegen-'))
  try {
    await run('buf', ['generate', '--output', out], { cwd: root, env })
    const fresh = await contents(join(out, 'src/gen'))
    expect(Object.keys(fresh)).toHaveLength(3)
    expect(await contents(join(root, 'src/gen'))).toEqual(fresh)
  } finally {
    await rm(out, { recursive: true, force: true })
  }
})
