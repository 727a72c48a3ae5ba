import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const generator = { cwd: join(root, 'generator'), env: { ...process.env, CGO_ENABLED: '0' } }
const run = promisify(execFile)

async function contents(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      files.toSorted().map(async (file) => [file.slice(directory.length), await readFile(file, 'utf8')]),
    ),
  )
}

const hasModules = await run('go', ['mod', 'download'], generator).then(
  () => true,
  (error: unknown) => {
    process.stderr.write(`SKIPPED check of the generated schema: Go or its modules are missing (${String(error)})\n`)
    return false
  },
)

// Go compiles the Kubernetes API once, which takes minutes on a busy machine.
const COMPILES_MS = 15 * 60_000

test.runIf(hasModules)(
  'regenerating src/gen from the Go modules gives the same bytes',
  { timeout: COMPILES_MS },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kube-schema-'))
    try {
      await run('go', ['run', '.', directory], generator)
      expect(await contents(directory)).toEqual(await contents(join(root, 'src/gen')))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
)
