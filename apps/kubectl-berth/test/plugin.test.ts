import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const main = join(import.meta.dirname, '../src/main.ts')
let dir = ''

const rack = (body: string): string => `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
export const plugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'rack',
  description: 'Keeps pods on nodes with a rack.',
  argsSchema: z.strictObject({ label: z.string().default('rack').describe('Label of the rack.'), max: z.number() }),
  create: ({ label }) => perNode({ ${body} }),
})
`
const creating = (
  name: string,
  create: string,
): string => `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
export const plugin = defineSchedulingPlugin({ apiVersion: 'berth.dev/v1', name: '${name}', description: 'D.',
  argsSchema: z.strictObject({}), create: () => ${create} })
`
const files: Readonly<Record<string, string>> = {
  'good/rack.ts': rack(`filter: (_pod, { node }) => (node.metadata.labels?.[label] ? undefined : 'no rack')`),
  'bad/rack.ts': rack('score: () => 140'),
  'bad/broken.ts': 'export const plugin = {\n',
  'bad/twin.ts': `export { plugin } from './rack.ts'`,
  'refused/typo.js': creating('typo', 'perNode({ filtr: () => undefined })'),
  'refused/preempts.js': creating('preempts', '({ processPreemption: () => undefined })'),
  'nested/package/package.json': '{ "type": "module", "exports": "./src/rack.js" }',
  'nested/package/src/rack.js': creating('inner', '({ score: () => undefined })'),
  'exits/exit.js': 'process.exit(0)',
  'seats.js': `import { defineResourceSource } from '@berth/plugin-api'
import { z } from 'zod'
export const plugin = defineResourceSource({ apiVersion: 'berth.dev/v1', name: 'seats', description: 'Seats.', argsSchema: z.strictObject({}),
  create: (_args, { clock }) => ({ compute: async (node) => ({ units: node.metadata.name.length, observedAtMs: clock.now() }) }) })
`,
  'notes.txt': 'not a module',
  'cluster.yaml': `kind: List
items:
  - { kind: Node, metadata: { name: a, labels: { rack: r1 } }, status: { allocatable: { cpu: 2 } } }
  - { kind: Node, metadata: { name: bbb } }
  - { kind: Pod, metadata: { name: p }, spec: { nodeName: a, containers: [{ name: c, resources: { requests: { cpu: 500m } } }] } }
`,
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-plugins-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const berth = (...argv: readonly string[]): Promise<Ended> => berthAt({}, ...argv)

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

function berthAt(env: { readonly COLUMNS?: string }, ...argv: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const args = ['-C', '@berth/source', main, 'plugin', ...argv]
    const options = { cwd: dir, env: { ...process.env, ...env }, maxBuffer: 16 * 1024 * 1024 }
    execFile(process.execPath, args, options, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err })
    })
  })
}

function fits(text: string): void {
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
}

describe('kubectl berth plugin', () => {
  test('lists its commands, each with help and examples', async () => {
    const { code, out } = await berth()
    expect(code).toBe(0)
    for (const name of ['test', 'list', 'types']) expect(out).toContain(`plugin ${name}\n`)
    expect(await berth('tset')).toMatchObject({ code: 2, err: expect.stringContaining('did you mean plugin test?') })
    const help = await berth('test', '--help')
    expect(help.out).toContain('kubectl berth plugin test plugins/quiet-hours.ts')
    expect(help.out.replaceAll(/\s+/g, ' ')).toContain('Exit status: 0 every check passes, 1 a check fails')
  })
})

describe('plugin test', () => {
  test('passes a plugin that keeps its contract, and says what was checked', async () => {
    const { code, out } = await berth('test', 'good/rack.ts', '--args', '{"max":1}')
    expect([code, out]).toEqual([0, expect.stringContaining('rack  scheduling  passed\n')])
    expect(out).toContain('  decides the same for the same seed\n')
    fits(out)
  })

  test('reports the broken rule and the fix, and exits with 1', async () => {
    const { code, out, err } = await berth('test', 'bad/rack.ts', '--args', '{"max":1}')
    expect([code, out]).toEqual([1, expect.stringContaining('rack  scheduling  FAILED\n')])
    expect(out).toMatch(/score gave 140 to \S+/)
    expect(out).toContain('  Fix: ')
    expect(err).toContain('1 of 1 plugins in bad/rack.ts failed')
    fits(out)
    const json = await berth('test', 'bad/rack.ts', '-o', 'json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({
      plugins: [
        {
          name: 'rack',
          passed: false,
          problem: expect.stringContaining('args.max'),
          fix: expect.stringContaining('--args'),
        },
      ],
    })
  })

  test('checks with the nodes and pods of a manifest', async () => {
    const { code, out } = await berth('test', 'seats.js', '-f', 'cluster.yaml')
    expect([code, out]).toEqual([0, expect.stringContaining('gives 3 units to bbb')])
    expect(await berth('test', 'good/rack.ts', '--args', '{"max":1}', '-f', 'cluster.yaml')).toMatchObject({ code: 0 })
  })

  test.for([
    { it: 'a syntax error', argv: ['bad/broken.ts'], code: 1, says: 'load plugin from' },
    { it: 'a file that is not a module', argv: ['notes.txt'], code: 1, says: 'it is not a .js, .mjs, .ts' },
    { it: 'a file that does not exist', argv: ['none.ts'], code: 2, says: 'read none.ts: ' },
    { it: 'a directory of plugins', argv: ['bad'], code: 2, says: 'is a directory of plugins' },
    { it: 'arguments that are not JSON', argv: ['seats.js', '--args', '{x'], code: 2, says: '--args {x: ' },
    { it: 'a missing file', argv: [], code: 2, says: 'missing argument FILE' },
    { it: 'a manifest without nodes', argv: ['seats.js', '-f', 'notes.txt'], code: 1, says: 'it holds 0 nodes' },
  ])('refuses $it', async ({ argv, code, says }) => {
    expect(await berth('test', ...argv)).toMatchObject({ code, out: '', err: expect.stringContaining(says) })
  })
})

describe('plugin list', () => {
  test('shows name, kind, hooks and arguments', async () => {
    const { code, out } = await berth('list', '--plugin-dir', 'good')
    expect(code).toBe(0)
    expect(out).toContain('rack  scheduling\n')
    expect(out).toContain('Hooks: unknown without its required arguments')
    expect(out).toContain('Argument label (string, default "rack"): Label of the rack.')
    expect(out).toContain('Argument max (number, required)')
    fits(out)
    const json = await berth('list', '--plugin-dir', '.', '-o', 'json')
    expect(JSON.parse(json.out)).toMatchObject({ plugins: [{ name: 'seats', hooks: ['compute'], args: [] }] })
  })

  test('fits into 40 columns, and keeps paths whole', async () => {
    const bad = await berthAt({ COLUMNS: '40' }, 'list', '--plugin-dir', 'bad')
    const builtIn = await berthAt({ COLUMNS: '40' }, 'list')
    const lines = `${bad.out}${bad.err}${builtIn.out}`.split('\n')
    // A path is one word.
    expect(lines.filter((line) => line.length > 40 && !/^ *\S+$/.test(line))).toEqual([])
    expect(bad.out).toContain('PROBLEM\n')
    expect(builtIn.out).toContain('whole-nodes  scheduling\n')
  })

  test('shows what a program would refuse, beside the plugins that load, and exits with 1', async () => {
    const { code, out, err } = await berth('list', '--plugin-dir', 'bad')
    expect(code).toBe(1)
    expect(out).toContain('rack  scheduling\n')
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(/PROBLEM load plugin from \S+broken.ts: SyntaxError/)
    expect(out.replaceAll(/\s+/g, ' ')).toContain('already provides one with this name')
    expect(err).toContain('a program would not start with bad')
  })

  test('shows a plugin that a program refuses when it creates it, with the reason', async () => {
    const { code, out } = await berth('list', '--plugin-dir', 'refused', '-o', 'json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      plugins: [{ name: 'preempts' }, { name: 'typo' }],
      problems: [
        { path: 'refused/preempts.js', message: expect.stringContaining('it cannot run processPreemption') },
        { path: 'refused/typo.js', message: expect.stringContaining('filtr') },
      ],
    })
    expect((await berth('list', '--plugin-dir', 'refused')).out).toContain('Hooks: unknown\n')
  })

  test('reads the path as a directory of plugins, as the programs do, even when it is a package', async () => {
    const { code, out } = await berth('list', '--plugin-dir', 'nested/package', '-o', 'json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ plugins: [], problems: [{ path: 'nested/package/src' }] })
    expect(await berth('list', '--plugin-dir', 'seats.js')).toMatchObject({
      code: 2,
      err: expect.stringContaining('read plugin directory'),
    })
  })

  test.for([
    { command: 'list', argv: ['list', '--plugin-dir', 'exits'] },
    { command: 'test', argv: ['test', 'exits/exit.js'] },
  ])('plugin $command fails when a plugin ends the process', async ({ argv }) => {
    expect(await berth(...argv)).toMatchObject({ code: 1, err: expect.stringContaining('a plugin ended the process') })
  })

  test('shows the plugins of the image without a directory', async () => {
    const { code, out } = await berth('list')
    expect([code, out]).toEqual([0, expect.stringContaining('From: built in')])
    expect(out).toContain('whole-nodes  scheduling\n')
    expect(out).toContain('usb  device-source\n')
    expect(await berth('list', '--plugin-dir', 'none')).toMatchObject({ code: 2 })
  })
})
