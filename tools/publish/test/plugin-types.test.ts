import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
let dir = ''

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-types-'))
  await run('turbo', ['run', 'build', '--output-logs=errors-only', '--filter=@berth/kubectl-berth'], { cwd: root })
  // The bundle alone, as in the image.
  await copyFile(join(root, 'apps/kubectl-berth/dist/main.js'), join(dir, 'kubectl-berth.mjs'))
  const { stdout } = await run(process.execPath, [join(dir, 'kubectl-berth.mjs'), 'plugin', 'types'], {
    maxBuffer: 16 * 1024 * 1024,
  })
  await writeFile(join(dir, 'berth-plugin.d.ts'), stdout)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const plugin = (filter: string, check = ''): string => `${check}
import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
export const plugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'labelled',
  description: 'Keeps pods on nodes with a label.',
  argsSchema: z.strictObject({ label: z.string().default('rack') }),
  create: ({ label }) => perNode({ ${filter}: (_pod, { node }) => (node.metadata.labels?.[label] ? undefined : 'no') }),
})
`

async function tsc(file: string, text: string, ...flags: readonly string[]): Promise<string> {
  await writeFile(join(dir, file), text)
  const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2024', '--types', '', '--allowJs']
  return await run('tsc', [...strict, ...flags, file, 'berth-plugin.d.ts'], { cwd: dir }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  )
}

describe('the file that kubectl berth plugin types prints, without npm', () => {
  test.for([
    { it: 'TypeScript', file: 'a.ts', check: '' },
    { it: 'JavaScript with @ts-check', file: 'b.mjs', check: '// @ts-check' },
  ])('$it: a plugin passes tsc, and a misspelt hook does not', async ({ file, check }) => {
    for (const flags of [
      ['--module', 'preserve'],
      ['--module', 'nodenext'],
    ]) {
      expect(await tsc(file, plugin('filter', check), ...flags)).toBe('')
      expect(await tsc(file, plugin('filtr', check), ...flags)).toContain("Did you mean to write 'filter'?")
    }
  })
})
