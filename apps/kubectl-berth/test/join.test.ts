import { systemClock } from '@berth/clock'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson, type CallOptions, type JsonResponse } from '@berth/simulator/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../src/main.ts')

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Joiner {
  readonly child: ChildProcess
  readonly ready: Promise<void>
  readonly ended: Promise<Ended>
}

/** Runs `npm run simulate` against a cluster. */
function simulate(...args: readonly string[]): Joiner {
  const child = spawn(process.execPath, ['-C', '@berth/source', MAIN, 'simulate', ...args])
  const output = { stdout: '', stderr: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...output })))
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
      if (output.stdout.includes('ready\n')) resolve()
    })
    child.once('close', () => reject(new Error(output.stderr)))
  })
  ready.catch(() => undefined)
  return { child, ready, ended }
}

describe('npm run simulate -- --join, with another simulated cluster over HTTPS', { timeout: 300_000 }, () => {
  let dir = ''
  let cluster: EmbeddedCluster
  let kubeconfig = ''
  const running: Joiner[] = []

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'berth-join-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  beforeEach(async () => {
    cluster = await startEmbeddedCluster({ nodes: 1, clock: systemClock(), random: Math.random, schedulesPods: true })
    kubeconfig = join(dir, 'kubeconfig')
    await writeFile(kubeconfig, cluster.served?.kubeconfig() ?? '')
  })
  afterEach(async () => {
    for (const { child } of running.splice(0)) child.kill('SIGKILL')
    await cluster[Symbol.asyncDispose]()
  })

  const call = (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    options?: CallOptions,
  ): Promise<JsonResponse> => callJson(cluster.handle, method, path, options)
  const start = async (...args: readonly string[]): Promise<Joiner> => {
    const joiner = simulate('--join', kubeconfig, ...args)
    running.push(joiner)
    await joiner.ready
    return joiner
  }
  const until = async <T>(look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> => {
    const endMs = performance.now() + 60_000
    for (;;) {
      const seen = await look()
      if (isDone(seen) || performance.now() > endMs) return seen
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  const phase = async (name: string): Promise<string> =>
    (await call('GET', `/api/v1/namespaces/default/pods/${name}`)).body.status?.phase
  const names = async (): Promise<readonly string[]> =>
    (await call('GET', '/api/v1/nodes')).body.items.map((node: { metadata: { name: string } }) => node.metadata.name)

  test('nodes come with devices, run what tolerates them, and are gone after SIGINT', async () => {
    const { child, ended } = await start('--nodes', '2', '--device', 'example.com/dongle=2')
    expect(await names()).toEqual(['berth-sim-1', 'berth-sim-2', 'node-1'])
    const node = await until(
      async () => (await call('GET', '/api/v1/nodes/berth-sim-1')).body,
      ({ status }) => status.allocatable['example.com/dongle'] === '2',
    )
    expect(node.status.capacity).toMatchObject({ 'example.com/dongle': '2' })
    expect(node.spec.taints).toEqual([{ key: 'berth.dev/simulated', value: 'true', effect: 'NoSchedule' }])
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/berth-sim-1'
    expect(
      (
        await until(
          () => call('GET', lease),
          ({ status }) => status === 200,
        )
      ).body.spec.holderIdentity,
    ).toBe('berth-sim-1')

    const pod = (name: string, spec: object): object => ({
      metadata: { name },
      spec: {
        containers: [{ name: 'c', image: 'a', resources: { limits: { 'example.com/dongle': '1' } } }],
        ...spec,
      },
    })
    const tolerations = [{ key: 'berth.dev/simulated', operator: 'Exists' }]
    await call('POST', '/api/v1/namespaces/default/pods', { body: pod('asks', { tolerations }) })
    await call('POST', '/api/v1/namespaces/default/pods', { body: pod('does-not', {}) })
    expect(
      await until(
        () => phase('asks'),
        (seen) => seen === 'Running',
      ),
    ).toBe('Running')
    expect(await phase('does-not')).toBe('Pending')

    child.kill('SIGINT')
    expect(await ended).toEqual({
      code: 0,
      stdout: 'joined with 2 nodes, berth-sim-1 to berth-sim-2\nready\n',
      stderr: '',
    })
    expect(await names()).toEqual(['node-1'])
    expect((await call('GET', '/api/v1/namespaces/default/pods/asks')).status).toBe(404)
    expect((await call('GET', lease)).status).toBe(404)
  })

  test('a daemon that tolerates everything but selects Linux stays away', async () => {
    await start('--nodes', '1')
    const spec = { nodeSelector: { 'kubernetes.io/os': 'linux' }, tolerations: [{ operator: 'Exists' }] }
    await call('POST', '/apis/apps/v1/namespaces/default/daemonsets', {
      body: {
        metadata: { name: 'proxy' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { ...spec, containers: [{ name: 'c', image: 'a' }] } },
        },
      },
    })
    const status = await until(
      async () => (await call('GET', '/apis/apps/v1/namespaces/default/daemonsets/proxy')).body.status,
      ({ numberReady }) => numberReady === 1,
    )
    expect(status).toMatchObject({ desiredNumberScheduled: 1, numberReady: 1 })
  })

  test('takes over the nodes that a killed run left behind, but no other nodes', async () => {
    const first = await start('--nodes', '1')
    first.child.kill('SIGKILL')
    await first.ended
    const second = await start('--nodes', '1')
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(0)
    const taken = await simulate('--join', kubeconfig, '--nodes', '1', '--prefix', 'node').ended
    expect(taken).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'join the cluster: node node-1 already exists and is not a simulated node. Choose other names with --prefix. (BERTH_SIMULATOR_JOIN_TAKEN)\n',
    })
    expect(await names()).toEqual(['node-1'])
  })

  test('a server that is away, and a file that is none, are named', async () => {
    await cluster[Symbol.asyncDispose]()
    const away = await simulate('--join', kubeconfig).ended
    expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/127\.0\.0\.1.*\(BERTH_API_/u)])
    expect(away.stderr).not.toContain('    at ')
    const missing = await simulate('--join', join(dir, 'nothing')).ended
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('(BERTH_KUBECONFIG_MISSING)')])
  })
})
