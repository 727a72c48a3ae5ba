import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedPackages, type AvailablePackage } from '../installed-packages.ts'
import { serveRegistry, type LoopbackRegistry } from '../loopback-registry.ts'
import { outsideFolder, type OutsideFolder } from '../outside-folder.ts'
import { listPacked, packPackages, readPacked } from '../pack-packages.ts'

const root = join(import.meta.dirname, '../../..')
const folders = ['types', 'clock', 'text', 'plugin-api', 'device-discovery'].map((name) => `packages/${name}`)

const plugin = `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'

export const plugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'labelled',
  description: 'Keeps pods on nodes with a label.',
  argsSchema: z.strictObject({ label: z.string().default('example.com/rack') }),
  create: ({ label }) =>
    perNode({
      filter: (_pod, { node }) => (node.metadata.labels?.[label] === undefined ? 'node(s) lack the label' : undefined),
    }),
})
`
const source = `import { createScanningSource, hostFiles } from '@berth/device-discovery'
import { defineDeviceSource } from '@berth/plugin-api'
import { z } from 'zod'

export const plugin = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'devices-of-dev',
  description: 'Everything in /dev.',
  argsSchema: z.strictObject({ hostRoot: z.string().default('/') }),
  create: ({ hostRoot }, env) =>
    createScanningSource(
      {
        scan: async () => {
          const names = await hostFiles(hostRoot).names('/dev')
          return { devices: names.map((id) => ({ id, health: 'Healthy' as const })) }
        },
        rescanSeconds: 5,
        allocate: (devices) => ({ env: { DEVICES: devices.map(({ id }) => id).join() } }),
      },
      env,
    ),
})
`
const sourceTest = `import { test } from 'node:test'
import { ok } from 'node:assert'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { plugin } from './source.ts'

test('finds devices', async () => {
  ok((await runDeviceSource(plugin)).some(({ id }) => id === 'null'))
})
`
const misspelt = `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
// @ts-expect-error A per-node function that does not exist.
perNode({ filtr: () => undefined })
// @ts-expect-error The arguments have the types of the schema.
defineSchedulingPlugin({ apiVersion: 'berth.dev/v1', name: 'a', description: 'A.', argsSchema: z.strictObject({ n: z.number() }), create: ({ n }) => n.trim() })
`
const testWith = (runner: string): string => `import { test } from '${runner}'
import { throws } from 'node:assert'
import { runSchedulingPlugin } from '@berth/plugin-api/testing'
import { plugin } from './plugin.ts'

test('keeps its contract', () => {
  runSchedulingPlugin(plugin)
})

test('the kit finds a broken rule', () => {
  throws(() => runSchedulingPlugin({ ...plugin, create: () => ({ filter: async () => {} }) }), /labelled/)
})
`

let tarballs: readonly AvailablePackage[]
let registry: LoopbackRegistry
let outside: OutsideFolder
let dir = ''

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-tarballs-'))
  tarballs = await packPackages(root, folders, dir)
  registry = await serveRegistry([...tarballs, ...installedPackages(root)])
  outside = await outsideFolder(registry)
})
afterAll(async () => {
  await outside[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

async function pass(...command: readonly [string, ...string[]]): Promise<string> {
  const { status, output } = await outside.run(command)
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${output}`)
  return output
}

describe('the packed packages', () => {
  test('may be published, and describe themselves completely', () => {
    for (const { manifest } of tarballs) {
      expect(manifest).not.toHaveProperty('private')
      expect(manifest).toMatchObject({
        license: 'Apache-2.0',
        type: 'module',
        sideEffects: false,
        engines: { node: '>=24' },
        repository: { type: 'git', directory: `packages/${String(manifest['name']).replace('@berth/', '')}` },
      })
      expect(JSON.stringify(manifest)).not.toMatch(/@berth\/source|workspace:|catalog:|\/src\//)
      for (const entry of Object.values(manifest['exports'] as Record<string, object>)) {
        expect(Object.keys(entry)).toEqual(['types', 'default'])
      }
    }
  })

  test('depend on each other and on packages from outside only', () => {
    const names = new Set(tarballs.map(({ name }) => name))
    for (const { manifest } of tarballs) {
      const needed = Object.keys(manifest['dependencies'] ?? {})
      expect(needed.filter((name) => name.startsWith('@berth/') && !names.has(name))).toEqual([])
    }
  })

  test('contain what their exports name, a README without links that lead out of the package, and the licence', async () => {
    for (const { path, manifest } of tarballs) {
      const files = await listPacked(path)
      const named = Object.values(manifest['exports'] as Record<string, Record<string, string>>).flatMap((entry) =>
        Object.values(entry).map((file) => file.replace('./', '')),
      )
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', ...named]))
      expect(files.filter((file) => file.startsWith('src/') || file.includes('.test.'))).toEqual([])
      expect(await readPacked(path, 'README.md')).not.toMatch(/\]\(\.\.?\//)
    }
  })

  test('import no test runner', async () => {
    for (const { path } of tarballs) {
      for (const file of (await listPacked(path)).filter((name) => name.endsWith('.js'))) {
        expect(await readPacked(path, file)).not.toMatch(/from '(?:vitest|node:test)/)
      }
    }
  })
})

describe('in an empty folder outside the checkout', () => {
  test('npm installs the packages, plain tsc accepts a plugin, and two runners run its test', async () => {
    await outside.write({
      'package.json': '{ "name": "outside", "private": true, "type": "module" }',
      'plugin.ts': plugin,
      'misspelt.ts': misspelt,
      'source.ts': source,
      'source.test.ts': sourceTest,
      'node.test.ts': testWith('node:test'),
      'vitest.test.ts': testWith('vitest'),
    })
    const catalog = ['zod', 'typescript', 'vitest', '@types/node']
    await pass('npm', 'install', '@berth/plugin-api', '@berth/device-discovery', ...catalog)

    const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2024'] as const
    const nodenext = ['--module', 'nodenext', '--moduleResolution', 'nodenext'] as const
    const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler'] as const
    // Without the types of Node, as in a project that has never heard of them, and with them for the tests.
    for (const resolution of [nodenext, bundler]) {
      await pass('npx', 'tsc', ...strict, ...resolution, '--types', '', 'plugin.ts', 'misspelt.ts')
      const withTests = ['--types', 'node', '--allowImportingTsExtensions', 'node.test.ts', 'vitest.test.ts']
      await pass('npx', 'tsc', ...strict, ...resolution, ...withTests)
    }

    // A device source runs on Node, and device-discovery returns what can be disposed.
    await pass('npx', 'tsc', ...strict, ...nodenext, '--types', 'node', 'source.ts')
    expect(await pass('node', '--test', 'source.test.ts')).toMatch(/pass 1/)
    expect(await pass('node', '--test', 'node.test.ts')).toMatch(/pass 2/)
    expect(await pass('npx', 'vitest', 'run', 'vitest.test.ts')).toMatch(/2 passed/)
  })
})
