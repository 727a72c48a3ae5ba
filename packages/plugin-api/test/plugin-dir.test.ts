import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const program = fileURLToPath(new URL('load-from-disk.ts', import.meta.url))

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-plugin-dir-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function load(files: Record<string, string>): Promise<unknown> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  const { stdout } = await promisify(execFile)('node', ['-C', '@berth/source', program, dir])
  return JSON.parse(stdout)
}

const typescriptPlugin = `
import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import type { NodeView } from '@berth/plugin-api'
import { z } from 'zod'

export const plugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'zone',
  description: 'Prefers a zone.',
  argsSchema: z.strictObject({ zone: z.string().default('a') }),
  create: ({ zone }: { readonly zone: string }) =>
    perNode({ score: (_pod, node: NodeView) => (node.node.metadata.labels?.zone === zone ? 100 : 0) }),
})
`

describe('--plugin-dir, with the modules that Node loads', () => {
  test('loads one TypeScript file from an otherwise empty directory: the program provides its imports', async () => {
    expect(await load({ 'zone.ts': typescriptPlugin })).toEqual({
      names: ['zone'],
      hooks: [['score']],
      leftovers: [],
      kit: 'function',
    })
  })

  test('loads a package, which may bring its own modules', async () => {
    const files = {
      'pkg/package.json': '{"name": "pkg", "type": "module", "exports": {".": {"import": "./src/plugin.js"}}}',
      'pkg/src/plugin.js':
        "import { StatusCode } from '@berth/types'\nimport { make } from '../lib/make.js'\nexport const plugins = [make(StatusCode)]\n",
      'pkg/lib/make.js': `import * as zod from 'zod'
export const make = (codes) => ({ kind: 'scheduling', apiVersion: "berth.dev/v1", name: 'packed', description: 'D.',
  argsSchema: zod.strictObject({}), create: () => ({ filter: (pod, candidates, output) => { if (candidates.count > 0) output.reject(0, codes.Unschedulable, 'no') } }) })`,
    }
    expect(await load(files)).toMatchObject({ names: ['packed'], hooks: [['filter']] })
  })

  test('prefers the zod of the plugin', async () => {
    const files = {
      'pkg/package.json': '{"type": "module", "main": "p.js"}',
      'pkg/p.js': "import { own } from 'zod'\nexport const plugin = own",
      'pkg/node_modules/zod/package.json': '{"type": "module", "main": "i.js"}',
      'pkg/node_modules/zod/i.js': `export const own = { kind: 'scheduling', apiVersion: 'berth.dev/v1', name: 'own-zod', description: 'D.',
        argsSchema: { safeParse: (value) => Object.keys(value).length === 0 ? { success: true, data: {} } : { success: false, error: { issues: [] } } },
        create: () => ({ bind: () => ({ kind: 'skip' }) }) }`,
    }
    expect(await load(files)).toMatchObject({ names: ['own-zod'], hooks: [['bind']] })
  })

  test.for([
    {
      it: 'a syntax error',
      file: 'x.mjs',
      text: 'export const plugin = {\n  a b\n',
      says: 'SyntaxError: Unexpected identifier',
    },
    { it: 'TypeScript that cannot be erased', file: 'x.ts', text: 'export enum Side { Heads }', says: 'SyntaxError' },
    {
      it: 'an import that does not exist',
      file: 'x.mjs',
      text: "import 'no-such-package'",
      says: "Cannot find package 'no-such-package'",
    },
    {
      it: 'a name that the API lacks',
      file: 'x.mjs',
      text: "import { perPod } from '@berth/plugin-api'",
      says: "does not provide an export named 'perPod'",
    },
    {
      it: 'a top level that throws',
      file: 'x.mjs',
      text: 'throw new RangeError("no licence file")',
      says: 'RangeError: no licence file',
    },
  ])('$it is one clear error that names the file', async ({ file, text, says }) => {
    const failure = (await load({ [file]: text })) as { readonly code: string; readonly message: string }
    expect(failure.code).toBe('BERTH_PLUGIN_LOAD')
    expect(failure.message).toContain(`load plugin from ${join(dir, file)}: `)
    expect(failure.message).toContain(says)
  })
})
