import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { kubectlBinary } from '@berth/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildExecutable } from '../executables/build-executable.ts'
import { releasedVersion } from '../released-version.ts'

const root = join(import.meta.dirname, '../../..')
let folder = ''
let bin = ''

beforeAll(async () => {
  await promisify(execFile)('turbo', ['run', 'build', '--output-logs=errors-only', '--filter=@berth/kubectl-berth'], {
    cwd: root,
  })
  folder = await mkdtemp(join(tmpdir(), 'berth-executable-test-'))
  bin = join(folder, 'bin')
  await mkdir(bin)
  const bundle = join(root, 'apps/kubectl-berth/dist/main.js')
  await buildExecutable({ bundle, node: process.execPath, output: join(folder, 'store') })
  for (const name of ['kubectl-berth', 'kubectl-brief', 'kubectl_complete-berth'])
    await symlink(join(folder, 'store'), join(bin, name))
  await symlink(await kubectlBinary({ candidates: [] }), join(bin, 'kubectl'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs a program with a PATH that contains only the executable and kubectl. */
async function run(program: string, ...args: readonly string[]) {
  const env = { PATH: bin, HOME: folder, TMPDIR: folder, NO_COLOR: '1' }
  return await promisify(execFile)(program, [...args], { env, cwd: folder })
}

describe('the single executable, without Node on the PATH', () => {
  test('runs as a plugin of kubectl', async () => {
    expect((await run(join(bin, 'kubectl'), 'berth', 'version')).stdout).toBe(
      `kubectl-berth ${releasedVersion(root)}\n`,
    )
  })

  test('runs brief under the name kubectl-brief', async () => {
    expect((await run(join(bin, 'kubectl'), 'brief', '--help')).stdout).toContain('kubectl berth brief')
  })

  test('completes commands for kubectl under the name kubectl_complete-berth', async () => {
    const { stdout } = await run(join(bin, 'kubectl'), '__complete', 'berth', 'expl')
    expect(stdout).toMatch(/^explain\t/)
  })

  test('installs the completion next to the link by which it was called', async () => {
    await rm(join(bin, 'kubectl_complete-berth'))
    expect((await run('kubectl-berth', 'completion', 'install')).stdout).toBe(`${bin}/kubectl_complete-berth\n`)
    expect(await readFile(join(bin, 'kubectl_complete-berth'), 'utf8')).toContain('exec kubectl-berth __complete')
  })

  test('loads contributed plugins in JavaScript and TypeScript, which import the contract from it', async () => {
    const plugins = join(folder, 'plugins')
    await mkdir(plugins)
    await writeFile(
      join(plugins, 'plain.mjs'),
      `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
await Promise.resolve()
export const plugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1', name: 'plain', description: 'Rejects nothing.', argsSchema: z.strictObject({}),
  create: () => perNode({ filter: () => undefined }),
})
`,
    )
    await copyFile(join(root, 'examples/plugins/scheduling/src/index.ts'), join(plugins, 'rack.ts'))
    const { stdout, stderr } = await run('kubectl-berth', 'plugin', 'list', '--plugin-dir', plugins, '-o', 'json')
    const { plugins: found } = JSON.parse(stdout) as { readonly plugins: readonly { readonly name: string }[] }
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['plain', 'example-rack']))
    expect(stderr).toBe('')
    expect((await run('kubectl-berth', 'plugin', 'test', join(plugins, 'rack.ts'))).stdout).toContain('example-rack')
  })
})
