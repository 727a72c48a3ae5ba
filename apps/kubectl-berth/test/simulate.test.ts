import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import { type Pod, silentLogger } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../src/main.ts')

let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-sim-'))
})

afterAll(async () => {
  await rm(dir, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command, and `onReady` once it is ready, or has printed another text. */
function simulate(
  args: readonly string[],
  onReady: (stop: () => void) => void = (stop) => stop(),
  awaited = 'ready\n',
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-C', '@berth/source', MAIN, 'simulate', ...args])
    const output = { stdout: '', stderr: '' }
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
      if (text.includes(awaited)) onReady(() => child.kill('SIGTERM'))
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...output }))
  })
}

/** Creates a pod for the scheduler, and one that has a node. Returns when `running` runs; `phases` then has both. */
async function runPods(kubeconfig: string, running: string, phases: Map<string, string>): Promise<void> {
  const world = { clock: systemClock(), random: Math.random, log: silentLogger }
  const access = loadKubeconfig({ path: kubeconfig, env: {}, home: dir })
  await using cluster = connectCluster({ access, ...world, qps: 0, userAgent: 'test' })
  const { client } = cluster
  const containers = [{ name: 'main', image: 'nginx' }]
  for (const [name, spec] of [['web', {}] as const, ['placed', { nodeName: 'node-1' }] as const])
    await client.create<Pod>(resourceRefs.pods, {
      metadata: { name, namespace: 'default' },
      spec: { containers, ...spec },
    })
  const isRunning = async () => {
    const { items } = await client.list<Pod>(resourceRefs.pods, { namespace: 'default' })
    for (const { metadata, status } of items) phases.set(metadata.name ?? '', status?.phase ?? '')
    return phases.get(running) === 'Running' ? true : undefined
  }
  const { signal } = new AbortController()
  await eventually(isRunning, { what: `pod ${running} to run`, timeoutMs: 60_000, signal })
}

describe('npm run simulate', () => {
  test('writes a kubeconfig, says ready and ends with 0 when it is told to', async () => {
    const kubeconfig = join(dir, 'kubeconfig')
    let written = ''
    const ended = await simulate(['--nodes', '2', '--pods', '4', '--kubeconfig', kubeconfig], (stop) => {
      written = readFileSync(kubeconfig, 'utf8')
      stop()
    })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(
      /^serving https:\/\/127\.0\.0\.1:\d+ with 2 nodes; kubeconfig in .*\nexport KUBECONFIG=.*\nready\n$/,
    )
    expect(written).toContain('"current-context": "berth"')
  })

  test.for([
    { flags: [], running: 'web' },
    { flags: ['--no-default-scheduler'], running: 'placed' },
  ])('places pods of default-scheduler unless it is told otherwise: $flags', async ({ flags, running }) => {
    const kubeconfig = join(dir, `scheduled-${running}`)
    const phases = new Map<string, string>()
    const ended = await simulate(['--nodes', '1', '--kubeconfig', kubeconfig, ...flags], (stop) => {
      void runPods(kubeconfig, running, phases).finally(stop)
    })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(phases.get('web')).toBe(running === 'web' ? 'Running' : 'Pending')
  })

  test('starts with a copy of a cluster, records it, starts from the record, and replays an audit log', async () => {
    const source = join(dir, 'source')
    const [snapshot, audit] = [join(dir, 'snapshot.json'), join(dir, 'audit.jsonl')]
    let copied: Ended | undefined
    const phases = new Map<string, string>()
    const first = await simulate(['--nodes', '2', '--kubeconfig', source, '--audit-log', audit], (stop) => {
      const copy = async (): Promise<void> => {
        await runPods(source, 'web', phases)
        copied = await simulate(['--from-cluster', source, '--record', snapshot, '--kubeconfig', join(dir, 'copy')])
      }
      void copy().finally(stop)
    })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(copied).toMatchObject({ code: 0, stderr: expect.stringContaining('Left out: ') as unknown })
    expect(copied?.stdout).toMatch(/^loaded \d+ recorded objects\nserving \S+ with 2 nodes;/)
    expect(readFileSync(snapshot, 'utf8')).toContain('"kind":"Pod"')

    const loaded = await simulate(['--snapshot', snapshot, '--kubeconfig', join(dir, 'again')])
    expect(loaded.stdout).toMatch(/^loaded \d+ recorded objects\nserving \S+ with 2 nodes;/)
    const flags = ['--nodes', '1', '--kubeconfig', join(dir, 'timeline'), '--timeline', audit, '--speed', '1000']
    const replayed = await simulate(flags, (stop) => stop(), 'replayed')
    expect(replayed.stdout).toMatch(/ready\nreplayed 2 writes of the timeline\n$/)
  })

  test('a second signal, as npm hands on, does not cut its end short', async () => {
    const args = ['--nodes', '20', '--kubeconfig', join(dir, 'kubeconfig'), '--dir', join(dir, 'twice')]
    const { stderr } = await simulate(args, (stop) => {
      // Two signals that wait at the same time are one for the kernel.
      for (const delayMs of [0, 2, 4]) setTimeout(stop, delayMs)
    })
    expect(stderr).toBe('')
    const left = readdirSync(join(dir, 'twice'), { recursive: true, encoding: 'utf8' })
    expect(left.filter((path) => path.endsWith('.sock'))).toEqual([])
  })

  test('ends with 1 and one clear error where the port is in use', async () => {
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
    const { port } = blocker.address() as AddressInfo
    const ended = await simulate(['--kubeconfig', join(dir, 'k'), '--port', String(port)])
    blocker.close()
    expect(ended.code).toBe(1)
    expect(ended.stderr).toBe(
      `listen on 127.0.0.1:${port}: the port is in use. Choose another port with --port, or 0 for any free one. (BERTH_SIMULATOR_LISTEN)\n`,
    )
  })

  test('ends with 1 where the kubeconfig cannot be written', async () => {
    const ended = await simulate(['--kubeconfig', join(dir, 'no', 'such', 'folder')])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('(BERTH_SIMULATOR_KUBECONFIG)')
    expect(ended.stderr).not.toContain('    at ')
  })

  test('ends with 1 where the directory of the kubelets is a file', async () => {
    const ended = await simulate(['--kubeconfig', join(dir, 'k'), '--dir', MAIN])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^create directory .* Choose a writable directory .* \(BERTH_SIMULATOR_DIRECTORY\)\n$/)
  })

  test('ends with 2 on an unknown flag, and with 0 after its help', async () => {
    const wrong = await simulate(['--colour', 'red'])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('unknown flag --colour')
    const help = await simulate(['--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('Prints "ready" when the cluster serves')
  })
})
