import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyWorkspace, type WorkspaceCopy } from '../workspace-copy.ts'

// The walks of CONTRIBUTING.md, each followed in a copy of the working tree.
let copy: WorkspaceCopy
beforeAll(async () => {
  copy = await copyWorkspace(join(import.meta.dirname, '../../..'))
})
afterAll(() => copy[Symbol.dispose]())

async function pass(program: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await copy.run(program, ...args)
  expect({ command: [program, ...args].join(' '), code, output }).toMatchObject({ code: 0 })
  return output
}

describe('a new plugin package', () => {
  test.for(['scheduling-plugin', 'device-source', 'resource-source'])('%s passes every check at once', async (kind) => {
    const name = `walk-${kind}`
    const folder = `plugins/${name}`
    expect(await pass('node', 'tools/new.ts', kind, name)).toContain(`${folder}/src/index.ts`)
    await pass('tsc', '--noEmit', '-p', `${folder}/tsconfig.json`)
    await pass('vitest', 'run', '--project', 'unit', folder)
    await pass('oxlint', '--deny-warnings', folder)
    await pass('oxfmt', '--check', folder)
    await pass('knip')
    await pass('turbo', 'boundaries')
    await pass('turbo', 'run', 'publint', '--filter', `@berth/plugin-${name}`)

    rmSync(join(copy.root, folder), { recursive: true })
    await pass('node', 'tools/pnpm.mjs', 'install', '--prefer-offline', '--no-frozen-lockfile')
    expect(existsSync(join(copy.root, folder))).toBe(false)
  })

  test.for([
    { it: 'an unknown kind', args: ['gadget', 'x'], says: 'there is no kind gadget' },
    {
      it: 'a name that is not kebab-case',
      args: ['device-source', 'My_Source'],
      says: '"My_Source" is not a kebab-case',
    },
    { it: 'a name that is taken', args: ['scheduling-plugin', 'chaos'], says: 'plugins/chaos exists already' },
    { it: 'a missing name', args: ['device-source'], says: 'KIND and NAME are required' },
  ])('$it is refused with exit status 2', async ({ args, says }) => {
    const { code, output } = await copy.run('node', 'tools/new.ts', ...args)
    expect([code, output]).toEqual([2, expect.stringContaining(says)])
  })
})
