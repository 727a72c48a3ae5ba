import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { kubectlBinary } from '@berth/testing'
import { shellCommand } from '@berth/text/shell-command'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const main = join(import.meta.dirname, '../src/main.ts')
let dir = ''

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-kubectl-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

const run = (...argv: readonly string[]): Promise<Ended> => runWith({}, ...argv)

function runWith(env: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } }
    execFile(process.execPath, ['-C', '@berth/source', main, ...argv], options, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err })
    })
  })
}

/** Writes a kubeconfig for a server of this machine, and returns its path. */
async function writeKubeconfig(name: string, port: number): Promise<string> {
  const path = join(dir, name)
  await writeFile(
    path,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: {} }],
      'current-context': 'c',
    }),
  )
  return path
}

// Each process compiles its sources first.
describe('kubectl-berth as a process', { timeout: 300_000 }, () => {
  test('runs a simulated cluster, answers about it, and ends it on Ctrl-C', async () => {
    const child = spawn(process.execPath, ['-C', '@berth/source', main, 'simulate', '--nodes', '2', '--dir', dir])
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    try {
      const line = await new Promise<string>((resolve) => {
        let said = ''
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          said += text
          if (said.endsWith('ready\n')) resolve(said)
        })
      })
      const [, kubeconfig = ''] = /^export KUBECONFIG=(.*)$/m.exec(line) ?? []
      expect(kubeconfig).toBe(join(dir, 'kubeconfig'))
      const capacity = await run('capacity', 'cpu', '-o', 'json', '--kubeconfig', kubeconfig)
      expect(JSON.parse(capacity.out)).toMatchObject({
        resources: [{ nodes: [{ node: 'node-1' }, { node: 'node-2' }] }],
      })
      const missing = await run('explain', 'pod', 'nope', '--kubeconfig', kubeconfig)
      expect(missing).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('kubectl get pods -n default (BERTH_KUBECTL_NOT_FOUND)'),
      })
    } finally {
      child.kill('SIGINT')
    }
    expect(await exited).toBe(0)
  })

  test.for([
    { argv: ['explain'], says: 'explain: which pod? Run: kubectl berth explain --help (BERTH_KUBECTL_USAGE)' },
    {
      argv: ['explain', 'pod', 'web', '--scheduler-config', 'none.yaml'],
      says: '(BERTH_SCHEDULER_CONFIG_INVALID)',
    },
    {
      argv: ['capacity', '--scheduler-config', '/dev/null', '--plugin-dir', 'none'],
      says: '(BERTH_PLUGIN_DIR)',
    },
    { argv: ['simulate', '--nodes', 'many'], says: '--nodes many: expected a whole number from 0 to 100000.' },
  ])('exits with 2 for $argv', async ({ argv, says }) => {
    expect(await run(...argv)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(says) })
  })

  test('exits with 0 for help, which lists the exit codes', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /Exit codes: 0 success, 1 failure[^]*2 wrong\s+command\s+line\s+or\s+configuration,\s+130\s+interrupted/,
      ),
      err: '',
    })
  })

  test('is kubectl brief under the name kubectl-brief', async () => {
    const link = join(dir, 'kubectl-brief')
    await symlink(main, link)
    const { code, out } = await new Promise<{ code: number | null; out: string }>((resolve) => {
      const child = spawn(process.execPath, ['-C', '@berth/source', link, '--help'])
      let said = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
      child.once('close', (status) => resolve({ code: status, out: said }))
    })
    expect(code).toBe(0)
    expect(out).toContain('kubectl berth brief KIND/NAME')
  })

  test('completes in kubectl once completion is installed', async () => {
    const kubectl = await kubectlBinary()
    const bin = await mkdtemp(join(dir, 'bin-'))
    const program = join(bin, 'kubectl-berth')
    const words = [process.execPath, '-C', '@berth/source', main]
    await writeFile(program, `#!/bin/sh\nexec ${shellCommand(...words)} "$@"\n`, { mode: 0o755 })
    expect(await run('completion', 'install', '--dir', bin)).toMatchObject({
      code: 0,
      out: `${join(bin, 'kubectl_complete-berth')}\n`,
    })
    // The sources are not installed under the name, so the script of an installed program stands in.
    const script = (await run('completion', 'script')).out.replace(
      /exec .* __complete/,
      'exec kubectl-berth __complete',
    )
    await writeFile(join(bin, 'kubectl_complete-berth'), script, { mode: 0o755 })
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` }
    const { stdout } = await promisify(execFile)(kubectl, ['__complete', 'berth', 'capacity', '--sort-by', 'u'], {
      env,
    })
    expect(stdout).toBe('unhealthy\nuse\n:4\n')
  })

  test('wraps what it says about a failure at the width of the terminal, and keeps a command whole', async () => {
    const kubeconfig = join(dir, 'no-such-folder', 'config')
    const [missing, usage, wide] = await Promise.all([
      runWith({ COLUMNS: '40' }, 'brief', '--kubeconfig', kubeconfig),
      runWith({ COLUMNS: '40' }, 'explain'),
      run('explain'),
    ])
    expect(missing.err.trimEnd().split('\n').length).toBeGreaterThan(1)
    // A path is one word.
    expect(missing.err.split('\n').filter((line) => line.length > 40 && !line.includes(kubeconfig))).toEqual([])
    expect(usage.err).toBe('explain: which pod? Run:\nkubectl berth explain --help (BERTH_KUBECTL_USAGE)\n')
    expect(wide.err).toBe('explain: which pod? Run: kubectl berth explain --help (BERTH_KUBECTL_USAGE)\n')
  })

  test('names --request-timeout when the API server does not answer', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const kubeconfig = await writeKubeconfig('silent', port)
    const commands = [['brief'], ['capacity'], ['explain', 'pod', 'web'], ['doctor']]
    const ended = await Promise.all(
      commands.map((words) => run(...words, '--request-timeout', '1s', '--kubeconfig', kubeconfig)),
    )
    server.closeAllConnections()
    server.close()
    for (const { code, err } of ended) {
      expect(code).toBe(1)
      expect(err).toMatch(/no answer within 1 s\. [^]*--request-timeout\. \(BERTH_KUBECTL_TIMEOUT\)\n$/)
    }
  })

  test('exits with 130 on Ctrl-C', async () => {
    const server = createServer()
    // Once, because a second Ctrl-C ends the process without its exit code, and several requests may arrive.
    server.once('request', () => child.kill('SIGINT'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const kubeconfig = await writeKubeconfig('hanging', port)
    const argv = ['-C', '@berth/source', main, 'capacity', '--kubeconfig', kubeconfig]
    const child = spawn(process.execPath, argv)
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
    server.closeAllConnections()
    server.close()
    expect(code).toBe(130)
  })

  test('exits with 1 and prints the next step when no cluster is configured', async () => {
    const { code, err } = await run('brief', '--kubeconfig', join(dir, 'none'))
    expect([code, err]).toEqual([1, expect.stringContaining('BERTH_KUBECONFIG_MISSING')])
  })
})
