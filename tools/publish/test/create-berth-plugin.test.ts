import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { helmBinary } from '@berth/testing'
import { parse } from 'yaml'
import { guideBlocks } from '../../guides/guide-blocks.ts'
import { installedPackages } from '../installed-packages.ts'
import { serveRegistry, type LoopbackRegistry } from '../loopback-registry.ts'
import { outsideFolder, type OutsideFolder } from '../outside-folder.ts'
import { packPackages } from '../pack-packages.ts'

const root = join(import.meta.dirname, '../../..')
const names = ['types', 'clock', 'text', 'plugin-api', 'create-berth-plugin']
const kinds: readonly { readonly kind: string; readonly contract: string; readonly name: string }[] = [
  { kind: 'scheduling-plugin', contract: 'scheduling', name: 'quiet-hours' },
  { kind: 'device-source', contract: 'device-source', name: 'usb-dongles' },
  { kind: 'resource-source', contract: 'resource-source', name: 'seat-count' },
]

/** Lists the plugins of a directory, as a program of Berth does at its start. */
const load = `import { loadPlugins } from '@berth/plugin-api'
const log = { debug() {}, info() {}, warn() {}, error() {} }
const [dir, kind] = process.argv.slice(1)
console.log(JSON.stringify((await loadPlugins({ dir, kinds: [kind], builtIn: [], log })).list()))`

let registry: LoopbackRegistry
let outside: OutsideFolder
let dir = ''

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-tarballs-'))
  const tarballs = await packPackages(
    root,
    names.map((name) => `packages/${name}`),
    dir,
  )
  registry = await serveRegistry([...tarballs, ...installedPackages(root)])
  outside = await outsideFolder(registry)
})
afterAll(async () => {
  await outside[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const create = (...args: readonly string[]) => outside.run(['npm', 'create', '--yes', 'berth-plugin', '--', ...args])

async function pass(command: readonly [string, ...string[]], folder: string): Promise<string> {
  const { status, output } = await outside.run(command, folder)
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${output}`)
  return output
}

describe('npm create berth-plugin, from its packed tarball', () => {
  test('--help shows kinds and examples', async () => {
    const { status, output } = await create('--help')
    expect(status).toBe(0)
    expect(output).toContain('npm create berth-plugin scheduling-plugin quiet-hours')
    for (const { kind } of kinds) expect(output).toContain(`${kind}: `)
  })

  test.for([
    { it: 'an unknown kind', args: ['gadget', 'x'], says: 'KIND "gadget": expected one of scheduling-plugin' },
    { it: 'a bad name', args: ['device-source', 'My_Source'], says: '"My_Source" is not a kebab-case name' },
    { it: 'a name that leads out of the folder', args: ['device-source', '../x'], says: 'is not a kebab-case name' },
    {
      it: 'a folder that exists',
      args: ['device-source', 'taken'],
      says: './taken already exists: choose another name',
    },
    { it: 'a missing name', args: ['device-source'], says: 'missing argument NAME' },
    { it: 'no argument without a terminal', args: [], says: 'missing argument KIND' },
  ])('refuses $it with exit status 2', async ({ args, says }) => {
    await outside.write({ 'taken/file': '' })
    const { status, output } = await create(...args)
    expect([status, output]).toEqual([2, expect.stringContaining(says)])
    expect(await readdir(join(outside.path, 'taken'))).toEqual(['file'])
  })

  test.for(kinds)('$kind: installs, compiles, passes its test, and is what image and values name', async (each) => {
    const { kind, contract, name } = each
    const created = await create(kind, name)
    expect([created.status, created.output]).toEqual([
      0,
      expect.stringContaining(`cd ${name} && npm install && npm test`),
    ])
    await pass(['npm', 'install'], name)
    await pass(['npm', 'run', 'typecheck'], name)
    expect(await pass(['npm', 'test'], name)).toMatch(/Tests +\d+ passed/)
    await pass(['npm', 'run', 'build'], name)

    // The image holds the plugin where --plugin-dir finds it.
    const volume = join(dir, `volume-${name}`)
    const dockerfile = await readFile(join(outside.path, name, 'Dockerfile'), 'utf8')
    expect(dockerfile).toMatch(/^FROM scratch$/m)
    for (const [, from = '', to = ''] of dockerfile.matchAll(/^COPY (\S+) (\S+)$/gm)) {
      const isFile = /\.\w+$/.test(from)
      await mkdir(join(volume, to), { recursive: true })
      await cp(join(outside.path, name, from), join(volume, to, isFile ? from : ''), { recursive: true })
    }
    const found = await pass(['node', '--input-type=module', '--eval', load, volume, contract], name)
    expect(JSON.parse(found)).toMatchObject([{ kind: contract, name }])

    // The values pass the schema of the chart and mount the image that the Dockerfile names.
    const file = join(outside.path, name, 'values.yaml')
    const [, reference = 'none'] = /--tag (\S+)/.exec(dockerfile) ?? []
    const rendered = await pass(
      [
        await helmBinary(),
        'template',
        'berth',
        join(root, 'charts/berth'),
        '--namespace',
        'berth-system',
        '--kube-version',
        '1.36.3',
        '--values',
        file,
      ],
      name,
    )
    expect(rendered).toContain(`reference: ${reference}`)
    expect(rendered).toContain('--plugin-dir=/plugins')
    const values = JSON.stringify(parse(await readFile(file, 'utf8')))
    for (const part of values.matchAll(/"(?:name|plugin|source)":"(?!example\.com|NodeResourcesFit)([^"]+)"/g)) {
      expect(part[1]).toBe(name)
    }
  })
})

test('the guide creates a project from packed packages that no registry has', async () => {
  const guide = await readFile(join(root, 'docs/guides/write-a-plugin.md'), 'utf8')
  const self = 'tools/publish/test/create-berth-plugin.test.ts'
  const blocks = guideBlocks('write-a-plugin.md', guide).filter(({ testedBy }) => testedBy === self)
  expect(blocks).toHaveLength(2)
  await using registryWithoutBerth = await serveRegistry(installedPackages(root))
  await using folder = await outsideFolder(registryWithoutBerth)
  // The checkout has its own package manager, so only the second block runs outside.
  const [pack = '', create = ''] = blocks.map(({ text }) => text.replaceAll('~/', `${folder.path}/`))
  await promisify(execFile)('sh', ['-euc', pack], { cwd: root })
  const { status, output } = await folder.run(['sh', '-euc', create])
  expect([status, output]).toEqual([0, expect.stringMatching(/Tests +\d+ passed/)])
})
