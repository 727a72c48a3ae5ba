import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { packageFaults } from './package-faults.ts'
import { readPluginCosts } from './plugin-costs.ts'
import { type PluginPackage, readPluginPackages, registryOf } from './plugin-packages.ts'

const root = join(import.meta.dirname, '../..')
const packages = await readPluginPackages(root)
const recorded = { costs: readPluginCosts(root), page: readFileSync(join(root, 'docs/plugins.md'), 'utf8') }

describe('the packages with plugins', () => {
  test('are those of plugins/ and the templates', () => {
    const folders = packages.map(({ folder }) => folder)
    expect(folders).toEqual(expect.arrayContaining(['plugins/chaos', 'examples/plugins/scheduling']))
  })

  test.for(packages)(
    '$folder has a README, described arguments, a test with the kit, a sample, a scenario, a cost and a row',
    (found) => {
      expect(packageFaults(found, recorded)).toEqual([])
    },
  )

  test('reach the apps only through loadPlugins, together with those of --plugin-dir', () => {
    // The test kits of the apps are not part of a bundle.
    const files = globSync('apps/*/src/**/*.ts', { cwd: root }).filter(
      (file) => !/\.test\.ts$|\/src\/testing\//.test(file),
    )
    const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
    const using = (word: string) => files.filter((file) => texts.get(file)?.includes(word)).toSorted()
    // `plugin list` decides nothing with plugins. It must show those that loadPlugins refuses, with the reason.
    const inspecting = ['describe-plugin', 'run-plugin-list'].map((name) => `apps/kubectl-berth/src/plugin/${name}.ts`)
    expect(using('createPluginRegistry')).toEqual(inspecting)
    const apps = ['advertiser', 'device-plugin', 'extender', 'kubectl-berth', 'scheduler']
    const calls = using('loadPlugins({')
    expect(calls).toEqual(apps.map((app) => `apps/${app}/src/main.ts`))
    for (const file of calls) expect(texts.get(file)).toMatch(/loadPlugins\(\{\s*dir\b[^}]*\bbuiltIn: /)
  })

  test('load together, through the loader of the apps', async () => {
    const registry = await registryOf(packages)
    expect(registry.list()).toHaveLength(packages.flatMap(({ plugins }) => plugins).length)
  })
})

describe('packageFaults', () => {
  const plugin = defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'quiet-hours',
    description: 'D.',
    argsSchema: z.strictObject({ label: z.string().describe('Label.') }),
    create: () => perNode({ score: () => 0 }),
  })
  const complete: PluginPackage = {
    folder: 'plugins/quiet-hours',
    plugins: [plugin],
    readme: '`quiet-hours` takes `label`.',
    tests: ['runSchedulingPlugin(plugin)'],
    samples: { 'quiet-hours': {} },
    scenarios: new Map([['e2e/checks/quiet.ts', "name: 'quiet-hours'"]]),
  }
  const catalogue = {
    costs: new Map([['scheduling quiet-hours', 1]]),
    page: '| [`quiet-hours`](../plugins/quiet-hours/README.md) |',
  }
  const undescribed = { ...plugin, argsSchema: z.strictObject({ label: z.string() }) }

  test('finds none in a complete package', () => {
    expect(packageFaults(complete, catalogue)).toEqual([])
  })

  test.for<{
    readonly it: string
    readonly change?: Partial<PluginPackage>
    readonly records?: Partial<typeof catalogue>
    readonly says: string
  }>([
    { it: 'plugin', change: { plugins: [] }, says: 'exports neither `plugin` nor `plugins`' },
    { it: 'README', change: { readme: undefined }, says: 'README.md is missing' },
    { it: 'name in the README', change: { readme: '`label`' }, says: 'README.md does not describe `quiet-hours`' },
    {
      it: 'argument in the README',
      change: { readme: '`quiet-hours`' },
      says: 'README.md does not describe the argument `label`',
    },
    {
      it: 'description of an argument',
      change: { plugins: [undescribed] },
      says: 'the schema of quiet-hours does not describe label',
    },
    {
      it: 'test with the kit of its kind',
      change: { tests: ['runDeviceSource(plugin)'] },
      says: 'no test calls runSchedulingPlugin(…)',
    },
    { it: 'sample', change: { samples: {} }, says: 'with the key quiet-hours' },
    { it: 'scenario', change: { scenarios: new Map() }, says: 'no scenario runs quiet-hours' },
    {
      it: 'scenario that runs it',
      change: { scenarios: new Map([['e2e/checks/quiet.ts', 'another']]) },
      says: 'no scenario runs quiet-hours',
    },
    {
      it: 'file of its scenario',
      change: { scenarios: new Map([['e2e/checks/quiet.ts', undefined]]) },
      says: 'names e2e/checks/quiet.ts, which does not exist',
    },
    { it: 'cost', records: { costs: new Map() }, says: 'no cost of quiet-hours is recorded' },
    { it: 'row', records: { page: '`quiet-hours`' }, says: 'docs/plugins.md has no row for quiet-hours' },
  ])('finds a package without $it', ({ change, records, says }) => {
    const faults = packageFaults({ ...complete, ...change }, { ...catalogue, ...records })
    expect(faults).toContainEqual(expect.stringMatching(/^plugins\/quiet-hours: /))
    expect(faults.join('\n')).toContain(says)
  })
})
