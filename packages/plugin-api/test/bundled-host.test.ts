import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'tsup'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const program = fileURLToPath(new URL('bundled-program.ts', import.meta.url))
const plugin = `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
export const plugin = defineSchedulingPlugin({ name: 'even', description: 'D.', argsSchema: z.strictObject({}),
  create: () => perNode({ score: () => 50 as number }) })
`

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-bundled-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('a program in one file, as in the images', () => {
  test.for(['esm', 'cjs'] as const)('loads a TypeScript plugin: %s', async (format) => {
    await build({
      entry: { main: program },
      config: false,
      format,
      outDir: join(dir, 'dist'),
      platform: 'node',
      target: 'node24',
      noExternal: [/.*/],
      splitting: false,
      dts: false,
      silent: true,
      esbuildOptions: (esbuild) => {
        esbuild.conditions = ['@berth/source', 'node', 'import', 'default']
      },
    })
    await writeFile(join(dir, 'even.ts'), plugin)
    await writeFile(join(dir, 'package.json'), '{"type": "module"}')
    const bundle = join(dir, 'dist', format === 'esm' ? 'main.js' : 'main.cjs')
    const { stdout } = await promisify(execFile)('node', [bundle, join(dir, 'even.ts')])
    expect(stdout).toBe('even: score')
  })
})
