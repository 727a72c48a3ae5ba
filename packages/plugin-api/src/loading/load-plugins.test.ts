import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { silentLogger } from '@berth/types'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { defineDeviceSource } from '../contract/device-source.ts'
import { defineSchedulingPlugin } from '../contract/scheduling-plugin.ts'
import { loadPlugins } from './load-plugins.ts'
import type { LoadPluginsOptions } from './load-plugins.ts'

const scheduling = (name: string) =>
  defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name,
    description: 'D.',
    argsSchema: z.strictObject({}),
    create: () => ({ filter() {} }),
  })
const deviceSource = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'none',
  description: 'D.',
  argsSchema: z.strictObject({}),
  create: () => ({ async *discover() {}, allocate: () => ({}) }),
})

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-plugins-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function put(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
}

/** Loads the directory; modules come from a table by their path inside it, as Node's own import needs a process. */
const load = (modules: Record<string, unknown> = {}, rest: Partial<LoadPluginsOptions> = {}) =>
  loadPlugins({
    dir,
    kinds: ['scheduling'],
    builtIn: [],
    log: silentLogger,
    importModule: async (url) => modules[fileURLToPath(url).slice(dir.length + 1)] ?? {},
    ...rest,
  })

describe('loadPlugins', () => {
  test('loads installed packages by name, from the plugin directory and from the working directory', async () => {
    await put({
      'plugins/node_modules/@acme/near/package.json': '{"exports": "./near.js"}',
      'node_modules/far/package.json': '{"main": "far.js"}',
    })
    const registry = await load(
      {
        'plugins/node_modules/@acme/near/near.js': { plugin: scheduling('near') },
        'node_modules/far/far.js': { plugin: scheduling('far') },
      },
      { dir: join(dir, 'plugins'), cwd: dir, modules: ['@acme/near', 'far'] },
    )
    expect(registry.list().map(({ name, origin }) => `${name} ${origin}`)).toEqual(['far far', 'near @acme/near'])
  })

  test('names a package that is not installed', async () => {
    await expect(load({}, { cwd: dir, modules: ['@acme/none'] })).rejects.toMatchObject({
      code: 'BERTH_PLUGIN_UNKNOWN',
      message: expect.stringContaining('load plugin module @acme/none: no such package in') as string,
    })
  })

  test('loads built-in plugins, files and packages, with the origin of each', async () => {
    await put({
      'a.ts': '',
      'b.mjs': '',
      'readme.md': '',
      'types.d.ts': '',
      'node_modules/x/index.js': '',
      'pkg/package.json': '{"exports": {".": {"types": "./t.d.ts", "import": "./dist/p.js"}}}',
      'old/package.json': '{"main": "index.js"}',
    })
    const registry = await load(
      {
        'a.ts': { plugin: scheduling('a') },
        'b.mjs': { plugins: [scheduling('b1'), scheduling('b2')] },
        'pkg/dist/p.js': { plugin: scheduling('p') },
        'old/index.js': { plugin: scheduling('o') },
      },
      { builtIn: [scheduling('own')] },
    )
    expect(registry.list().map(({ name, origin }) => [name, origin.replace(dir, '')])).toEqual([
      ['a', '/a.ts'],
      ['b1', '/b.mjs'],
      ['b2', '/b.mjs'],
      ['o', '/old/index.js'],
      ['own', 'built in'],
      ['p', '/pkg/dist/p.js'],
    ])
  })

  test('reads a mounted ConfigMap once, through its symbolic links', async () => {
    await put({ '..2026_01_01/rule.ts': '' })
    await symlink('..2026_01_01', join(dir, '..data'))
    await symlink('..data/rule.ts', join(dir, 'rule.ts'))
    const registry = await load({ 'rule.ts': { plugin: scheduling('rule') } })
    expect(registry.list()).toHaveLength(1)
  })

  test('names a symbolic link without a target', async () => {
    await symlink('none', join(dir, 'gone.js'))
    await expect(load()).rejects.toMatchObject({
      code: 'BERTH_PLUGIN_LOAD',
      message: expect.stringContaining(`load plugin from ${join(dir, 'gone.js')}: ENOENT`) as string,
    })
  })

  test('skips tests, declarations and files of other types, and logs them', async () => {
    const lines: unknown[] = []
    const log = { ...silentLogger, info: (fields: unknown, message: string) => void lines.push([fields, message]) }
    const skipped = ['a.test.js', 'a.test.mts', 'b.cts', 'c.tsx', 'd.tar', 'types.d.ts']
    await put(Object.fromEntries(skipped.map((name) => [name, ''])))
    expect((await load({}, { log })).list()).toEqual([])
    expect(lines).toEqual(skipped.map((name) => [{ path: join(dir, name) }, 'Skipped a file that is not a plugin']))
  })

  test('skips plugins of another kind and logs them', async () => {
    const lines: unknown[] = []
    const log = { ...silentLogger, info: (fields: unknown, message: string) => void lines.push([fields, message]) }
    await put({ 'd.js': '' })
    const registry = await load({ 'd.js': { plugin: deviceSource } }, { log })
    expect(registry.list()).toEqual([])
    expect(lines).toEqual([[expect.objectContaining({ plugin: 'none' }), 'Skipped a plugin of another kind']])
  })

  test.for([undefined, 1])(
    'loads a plugin with apiVersion %s, of the previous version, with a warning',
    async (apiVersion) => {
      const lines: unknown[] = []
      const log = { ...silentLogger, warn: (fields: unknown, message: string) => void lines.push([fields, message]) }
      await put({ 'old.js': '' })
      const registry = await load({ 'old.js': { plugin: { ...scheduling('old'), apiVersion } } }, { log })
      expect(registry.has('scheduling', 'old')).toBe(true)
      expect(lines).toEqual([
        [
          expect.objectContaining({ plugin: 'old', apiVersion: 'berth.dev/v1alpha1' }),
          'Plugin of the previous contract version loaded',
        ],
      ])
    },
  )

  test('works without a directory', async () => {
    const registry = await loadPlugins({ kinds: ['scheduling'], builtIn: [scheduling('own')], log: silentLogger })
    expect(registry.has('scheduling', 'own')).toBe(true)
  })

  test.for([
    { it: 'no export', exported: {}, code: 'BERTH_PLUGIN_LOAD', says: 'it exports neither `plugin` nor `plugins`' },
    { it: 'plugins that are not a list', exported: { plugins: 3 }, code: 'BERTH_PLUGIN_LOAD', says: 'is not a list' },
    {
      it: 'something that is not an object',
      exported: { plugin: 'x' },
      code: 'BERTH_PLUGIN_SHAPE',
      says: 'not an object',
    },
    {
      it: 'another version',
      exported: { plugin: { ...scheduling('x'), apiVersion: 'berth.dev/v9' } },
      code: 'BERTH_PLUGIN_VERSION',
      says: 'it is written for berth.dev/v9, this program supports berth.dev/v1 and berth.dev/v1alpha1',
    },
    {
      it: 'a version that is not a text',
      exported: { plugin: { ...scheduling('x'), apiVersion: 2 } },
      code: 'BERTH_PLUGIN_VERSION',
      says: 'load plugin "x" from',
    },
    {
      it: 'another kind',
      exported: { plugin: { ...scheduling('x'), kind: 'y' } },
      code: 'BERTH_PLUGIN_SHAPE',
      says: 'kind must be one of',
    },
    {
      it: 'a bad name',
      exported: { plugin: scheduling('Bad Name') },
      code: 'BERTH_PLUGIN_SHAPE',
      says: 'name must be',
    },
    {
      it: 'no description',
      exported: { plugin: { ...scheduling('x'), description: '' } },
      code: 'BERTH_PLUGIN_SHAPE',
      says: 'description',
    },
    {
      it: 'no create',
      exported: { plugin: { ...scheduling('x'), create: 1 } },
      code: 'BERTH_PLUGIN_SHAPE',
      says: 'create must be',
    },
    {
      it: 'no schema',
      exported: { plugin: { ...scheduling('x'), argsSchema: {} } },
      code: 'BERTH_PLUGIN_SHAPE',
      says: 'zod schema',
    },
    {
      it: 'a schema that is not strict',
      exported: { plugin: { ...scheduling('x'), argsSchema: z.object({}) } },
      code: 'BERTH_PLUGIN_SHAPE',
      says: 'z.strictObject',
    },
    ...[
      z.object({ zone: z.string() }),
      z.object({ zone: z.string() }).transform((args) => args),
      z.union([z.object({ zone: z.string() }), z.strictObject({ rack: z.string() })]),
      z.discriminatedUnion('by', [z.object({ by: z.literal('zone'), zone: z.string() })]),
    ].map((argsSchema) => ({
      it: `a schema that drops unknown keys beside a required one (${argsSchema.type})`,
      exported: { plugin: { ...scheduling('x'), argsSchema } },
      code: 'BERTH_PLUGIN_SHAPE',
      says: 'z.strictObject',
    })),
  ])('refuses a module with $it, naming it', async ({ exported, code, says }) => {
    await put({ 'x.js': '' })
    await expect(load({ 'x.js': exported })).rejects.toMatchObject({ code, message: expect.stringContaining(says) })
    await expect(load({ 'x.js': exported })).rejects.toThrow(join(dir, 'x.js'))
  })

  test.for([
    z.strictObject({ zone: z.string() }).transform((args) => args),
    z.union([z.strictObject({ zone: z.string() }), z.strictObject({ rack: z.string() })]),
    z.discriminatedUnion('by', [z.strictObject({ by: z.literal('zone'), zone: z.string() })]),
    z.object({ zone: z.string() }).catchall(z.number()),
  ])('accepts a schema that refuses unknown keys beside a required one ($type)', async (argsSchema) => {
    await put({ 'x.js': '' })
    expect((await load({ 'x.js': { plugin: { ...scheduling('x'), argsSchema } } })).list()).toHaveLength(1)
  })

  test('refuses two plugins with the same name, naming both origins', async () => {
    await put({ 'x.js': '' })
    await expect(
      load({ 'x.js': { plugin: scheduling('own') } }, { builtIn: [scheduling('own')] }),
    ).rejects.toMatchObject({
      code: 'BERTH_PLUGIN_DUPLICATE',
      message: expect.stringMatching(/x\.js: built in already provides one with this name$/),
    })
  })

  test('refuses a module whose top level does not end', async () => {
    await put({ 'x.js': '' })
    await expect(load({}, { importModule: () => new Promise(() => {}), deadlineMs: 5 })).rejects.toMatchObject({
      code: 'BERTH_PLUGIN_LOAD',
      message: expect.stringContaining('did not end within 5 ms'),
    })
  })

  test.for([
    { it: 'without a package.json', files: { 'pkg/index.js': '' }, says: 'package.json cannot be read' },
    {
      it: 'without an entry',
      files: { 'pkg/package.json': '{"exports": {"./sub": "./x.js"}}' },
      says: 'has no entry',
    },
    {
      it: 'with an entry outside of it',
      files: { 'pkg/package.json': '{"main": "lib/../../x.js"}' },
      says: 'its entry lib/../../x.js is outside of it',
    },
    { it: 'with null as its package.json', files: { 'pkg/package.json': 'null' }, says: 'has no entry' },
    { it: 'with a broken package.json', files: { 'pkg/package.json': '{' }, says: 'package.json cannot be read' },
  ] as readonly { it: string; files: Record<string, string>; says: string }[])(
    'refuses a package $it',
    async ({ files, says }) => {
      await put(files)
      await expect(load()).rejects.toMatchObject({ code: 'BERTH_PLUGIN_LOAD', message: expect.stringContaining(says) })
    },
  )

  test('names the directory that it cannot unpack archives in', async () => {
    vi.stubEnv('TMPDIR', join(dir, 'none'))
    onTestFinished(() => void vi.unstubAllEnvs())
    await put({ 'x-1.0.0.tgz': '' })
    await expect(load()).rejects.toMatchObject({
      code: 'BERTH_PLUGIN_LOAD',
      message: expect.stringContaining(`create a directory to unpack plugins in ${join(dir, 'none')}: `),
      hint: 'Set TMPDIR to a directory that this program can write to.',
    })
  })

  test('refuses a missing directory', async () => {
    await expect(load({}, { dir: join(dir, 'none') })).rejects.toMatchObject({ code: 'BERTH_PLUGIN_DIR' })
  })
})
