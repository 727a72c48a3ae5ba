import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyWorkspace, type WorkspaceCopy } from '../workspace-copy.ts'

// The walks of CONTRIBUTING.md, each followed in a copy of the working tree.
const root = join(import.meta.dirname, '../../..')
let copy: WorkspaceCopy
beforeAll(async () => {
  copy = await copyWorkspace(root)
})
afterAll(() => copy[Symbol.dispose]())

/** Undoes the changes of one file of the copy. */
function restore(file: string): void {
  copyFileSync(join(root, file), join(copy.root, file))
}

/** Replaces a text in a file of the copy. Fails when the file does not contain it. */
function edit(file: string, from: string, to: string): void {
  const text = readFileSync(join(copy.root, file), 'utf8')
  expect(text).toContain(from)
  writeFileSync(join(copy.root, file), text.replace(from, to))
}

async function pass(program: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await copy.run(program, ...args)
  expect({ command: [program, ...args].join(' '), code, output }).toMatchObject({ code: 0 })
  return output
}

describe('a new built-in filter', () => {
  test('passes every check at once: its folder and its entry in the table', async () => {
    const folder = 'packages/fit-engine/src/plugins/walk-filter'
    const output = await pass('node', '-C', '@berth/source', 'tools/new.ts', 'built-in-filter', 'walk-filter')
    expect(output).toContain('packages/fit-engine/src/profile/built-in-plugins.ts')
    await pass('tsc', '--noEmit', '-p', 'packages/fit-engine/tsconfig.json')
    await pass('vitest', 'run', '--project', 'unit', folder, 'packages/fit-engine/src/profile')
    await pass('oxlint', '--deny-warnings', 'packages/fit-engine/src/plugins', 'packages/fit-engine/src/profile')
    await pass('oxfmt', '--check', 'packages/fit-engine')
    await pass('node', '-C', '@berth/source', 'tools/generate.ts', '--check')
    expect(readFileSync(join(copy.root, 'docs/built-in-plugins.md'), 'utf8')).toContain('WalkFilter')

    rmSync(join(copy.root, folder), { recursive: true })
    for (const file of ['packages/fit-engine/src/profile/built-in-plugins.ts', 'docs/built-in-plugins.md'])
      restore(file)
  })
})

describe('a new plugin package', () => {
  const scenarios = {
    'scheduling-plugin': (name: string) => `apps/kubectl-berth/test/policies/${name}.test.ts`,
    'device-source': (name: string) => `apps/device-plugin/test/sources/${name}.test.ts`,
    'resource-source': (name: string) => `apps/advertiser/test/${name}.test.ts`,
  }

  test.for(['scheduling-plugin', 'device-source', 'resource-source'] as const)(
    '%s passes every check at once: code, scenario, recorded cost and catalogue',
    async (kind) => {
      const name = `walk-${kind}`
      const folder = `plugins/${name}`
      const output = await pass('node', '-C', '@berth/source', 'tools/new.ts', kind, name)
      expect(output).toContain(`${folder}/src/index.ts`)
      await pass('tsc', '--noEmit', '-p', `${folder}/tsconfig.json`)
      await pass('vitest', 'run', '--project', 'unit', folder)
      await pass('oxlint', '--deny-warnings', folder)
      await pass('oxfmt', '--check', folder)
      await pass('knip', '--workspace', folder)
      await pass('turbo', 'boundaries')
      await pass('turbo', 'run', 'publint', '--filter', `@berth/plugin-${name}`)
      await pass('node', '-C', '@berth/source', 'tools/generate.ts', '--check')
      await pass('vitest', 'run', '--project', 'unit', 'tools/plugin-catalogue', 'tools/docs-paths.test.ts')
      const scenario = scenarios[kind](name)
      expect(output).toContain(scenario)
      await pass('oxlint', '--deny-warnings', scenario)
      await pass('oxfmt', '--check', scenario)
      await pass('vitest', 'run', scenario)

      for (const created of [folder, scenario]) rmSync(join(copy.root, created), { recursive: true })
      for (const changed of ['bench/plugins/costs.jsonl', 'docs/plugins.md', 'ARCHITECTURE.md']) restore(changed)
      await pass('node', 'tools/pnpm.mjs', 'install', '--prefer-offline', '--no-frozen-lockfile')
      expect(existsSync(join(copy.root, folder))).toBe(false)
    },
  )

  test.for([
    { it: 'an unknown kind', args: ['gadget', 'x'], says: 'KIND "gadget": expected one of' },
    {
      it: 'a name that is not kebab-case',
      args: ['device-source', 'My_Source'],
      says: '"My_Source" is not a kebab-case',
    },
    { it: 'a name that is taken', args: ['scheduling-plugin', 'chaos'], says: 'plugins/chaos already exists' },
    { it: 'a missing name', args: ['device-source'], says: 'missing argument NAME' },
  ])('$it is refused with exit status 2', async ({ args, says }) => {
    const { code, output } = await copy.run('node', '-C', '@berth/source', 'tools/new.ts', ...args)
    expect([code, output]).toEqual([2, expect.stringContaining(says)])
  })
})

describe('a configuration key', () => {
  test('reaches help, documentation and chart from one place', async () => {
    const config = 'apps/advertiser/src/config.ts'
    edit(
      config,
      '  kubeApiBurst:',
      "  walkSeconds: z.int().min(1).default(7).describe('Seconds that a walk takes.'),\n  kubeApiBurst:",
    )
    await pass('tsc', '--noEmit', '-p', 'apps/advertiser/tsconfig.json')
    const { code } = await copy.run('node', '-C', '@berth/source', 'tools/generate.ts', '--check')
    expect(code).toBe(1)
    await pass('node', '-C', '@berth/source', 'tools/generate.ts')
    await pass('node', '-C', '@berth/source', 'tools/generate.ts', '--check')
    expect(readFileSync(join(copy.root, 'docs/config.md'), 'utf8')).toContain('walkSeconds')
    expect(readFileSync(join(copy.root, 'charts/berth/values.schema.json'), 'utf8')).toContain('walkSeconds')
    const main = 'apps/advertiser/src/main.ts'
    expect(await pass('node', '-C', '@berth/source', main, '--help')).toContain('--walk-seconds')
    const refused = await copy.run('node', '-C', '@berth/source', main, '--walk-seconds', '0')
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining('walk-seconds')])

    for (const file of [config, 'docs/config.md', 'charts/berth/values.schema.json', 'charts/berth/README.md']) {
      restore(file)
    }
  })
})

describe('a bug in binding', () => {
  const tests = ['vitest', 'run', '--project', 'unit', 'packages/k8s-client/src/binding'] as const

  test.for([
    {
      it: 'a pod of the same name counts as the bound pod',
      from: '(uid !== undefined && current.metadata.uid !== uid)',
      to: 'false',
    },
    {
      it: 'a lost response counts as a conflict',
      from: "mayTakeEffectForMs > 0 ? 'unknown' : 'conflict'",
      to: "'conflict'",
    },
  ])('$it: the tests beside the file find it, and pass again once it is fixed', async ({ from, to }) => {
    const file = 'packages/k8s-client/src/binding/confirm-binding.ts'
    edit(file, from, to)
    const [program, ...args] = tests
    const { code, output } = await copy.run(program, ...args)
    expect([code, output]).toEqual([1, expect.stringContaining('confirm-binding.test.ts')])
    restore(file)
    await pass(...tests)
  })
})
