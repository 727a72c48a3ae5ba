import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { create } from 'tar'
import { build } from 'tsup'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const program = fileURLToPath(new URL('bundled-program.ts', import.meta.url))
const plugin = `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
export const plugin = defineSchedulingPlugin({ apiVersion: 'berth.dev/v1', name: 'even', description: 'D.', argsSchema: z.strictObject({}),
  create: () => perNode({ score: () => 50 as number }) })
`

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-bundled-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('a program in one file, as in the images', () => {
  test.for(['esm', 'cjs'] as const)(
    'loads a TypeScript plugin, as a file and from an archive of npm with a bundled dependency: %s',
    async (format) => {
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
      await mkdir(join(dir, 'package', 'node_modules', 'half'), { recursive: true })
      await writeFile(join(dir, 'package', 'node_modules', 'half', 'package.json'), '{"exports": "./half.mjs"}')
      await writeFile(join(dir, 'package', 'node_modules', 'half', 'half.mjs'), 'export const half = 50')
      await writeFile(join(dir, 'package', 'package.json'), '{"type": "module", "exports": "./even.ts"}')
      await writeFile(join(dir, 'package', 'even.ts'), `import { half } from 'half'\n${plugin.replace('50', 'half')}`)
      await create({ gzip: true, cwd: dir, file: join(dir, 'even-1.0.0.tgz') }, ['package'])
      for (const file of ['even.ts', 'even-1.0.0.tgz']) {
        const env = { ...process.env, TMPDIR: await mkdtemp(join(dir, 'tmp-')) }
        const { stdout } = await promisify(execFile)('node', [bundle, join(dir, file)], { env })
        expect([file, stdout, await readdir(env.TMPDIR)]).toEqual([file, 'even: score', []])
      }
    },
  )
})
