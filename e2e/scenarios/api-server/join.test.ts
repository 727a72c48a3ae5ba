import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { spawn, type ChildProcess } from 'node:child_process'
import { resourceRefs, type Cluster } from '@berth/k8s-client'
import type { Node, Pod } from '@berth/types'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { lacksGate } from '../../cluster/version-differences.ts'
import { startRealApiServer, type TestUser, type RealApiServer } from '../../real-api-server/real-api-server.ts'

const MAIN = join(import.meta.dirname, '../../../apps/kubectl-berth/src/main.ts')
const DONGLE = 'example.com/dongle'

interface Joiner {
  readonly child: ChildProcess
  readonly ready: Promise<void>
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

const isReady = (node: Node): boolean =>
  (node.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')

/** Polls `look` until `isDone` accepts its value or a minute has passed. Returns the last value. */
async function until<T>(look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> {
  const endMs = Date.now() + 60_000
  for (;;) {
    const seen = await look()
    if (isDone(seen) || Date.now() > endMs) return seen
    await pause(100)
  }
}

describe('simulate --join on a real kube-apiserver with its controllers', () => {
  let server: RealApiServer
  let cluster: Cluster
  const running: Joiner[] = []

  beforeAll(async () => {
    server = await startRealApiServer({ hasControllers: true })
    cluster = connectQuietly({ access: server.access() })
  })
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGTERM')
      await ended
    }
  })

  function joinAs(identity: TestUser, ...args: readonly string[]): Joiner {
    const kubeconfig = join(server.dir, `${identity}.kubeconfig`)
    writeFileSync(kubeconfig, server.kubeconfig(identity), { mode: 0o600 })
    const child = spawn(process.execPath, ['-C', '@berth/source', MAIN, 'simulate', '--join', kubeconfig, ...args])
    const output = { stdout: '', stderr: '' }
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    const ended: Joiner['ended'] = new Promise((resolve) => child.once('close', (code) => resolve({ code, ...output })))
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output.stdout += text
        if (output.stdout.includes('ready\n')) resolve()
      })
      child.once('close', () => reject(new Error(output.stderr)))
    })
    ready.catch(() => undefined)
    const joiner = { child, ready, ended }
    running.push(joiner)
    return joiner
  }

  const nodes = async (): Promise<readonly Node[]> => (await cluster.client.list(resourceRefs.nodes)).items as Node[]
  const read = (name: string): Promise<Pod> => cluster.client.get(resourceRefs.pods, { namespace: 'default', name })

  test('joined nodes become ready, offer their devices, run pods that are bound to them, and leave at the end', async () => {
    const { child, ready, ended } = joinAs('admin', '--nodes', '3', '--device', `${DONGLE}=2`)
    await ready
    const joined = await until(nodes, (seen) => seen.length === 3 && seen.every(isReady))
    expect(joined.map((node) => node.status?.allocatable?.[DONGLE])).toEqual(['2', '2', '2'])

    const body: Pod = {
      metadata: { namespace: 'default', name: 'asks' },
      spec: { containers: [{ name: 'c', image: 'none', resources: { limits: { [DONGLE]: '1' } } }] },
    }
    // Refused until the controllers have created the service account.
    const made = await until(
      () => cluster.client.create(resourceRefs.pods, body).catch(() => undefined),
      (answer) => answer !== undefined,
    )
    const pod = made ?? (await read('asks'))
    expect(await cluster.client.bind(pod, 'berth-sim-2')).toEqual({ kind: 'bound' })
    const seen = await until(
      () => read('asks'),
      ({ status }) => status?.phase === 'Running',
    )
    const held = { resourceID: expect.stringMatching(/^sim-[01]$/u) as unknown, health: 'Healthy' }
    expect(seen.status?.containerStatuses?.[0]?.allocatedResourcesStatus).toEqual(
      lacksGate('ResourceHealthStatus') ? undefined : [{ name: DONGLE, resources: [held] }],
    )

    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(await nodes()).toEqual([])
    await expect(read('asks')).rejects.toMatchObject({ status: 404 })
  })

  test('ends a deleted pod, and refuses a pod without a free device as a kubelet does', async () => {
    await joinAs('admin', '--nodes', '1', '--device', `${DONGLE}=1`).ready
    const make = async (name: string): Promise<Pod> => {
      const pod = await cluster.client.create(resourceRefs.pods, {
        metadata: { namespace: 'default', name },
        spec: { containers: [{ name: 'c', image: 'none', resources: { limits: { [DONGLE]: '1' } } }] },
      })
      await cluster.client.bind(pod, 'berth-sim-1')
      return until(
        () => read(name),
        ({ status }) => status?.phase !== 'Pending',
      )
    }
    expect((await make('first')).status).toMatchObject({ phase: 'Running' })
    expect((await make('second')).status).toMatchObject({ phase: 'Failed', reason: 'UnexpectedAdmissionError' })
    await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'first' })
    const gone = (): Promise<boolean> =>
      read('first').then(
        () => false,
        () => true,
      )
    expect(await until(gone, Boolean)).toBe(true)
    expect((await make('third')).status).toMatchObject({ phase: 'Running' })
  })

  test('nodes survive a restart of the API server', async () => {
    await joinAs('admin', '--nodes', '2').ready
    await server.stop()
    await pause(2_000)
    await server.start()
    const renewals = async (): Promise<string> =>
      JSON.stringify((await cluster.client.list(resourceRefs.leases, { namespace: 'kube-node-lease' })).items)
    const before = await renewals()
    expect(await until(renewals, (seen) => seen !== before)).not.toBe(before)
    // After a long restart, the node lifecycle controller may mark the nodes not ready for a moment.
    const after = await until(nodes, (seen) => seen.length === 2 && seen.every(isReady))
    expect(after.map(isReady)).toEqual([true, true])
  })

  test('names each missing verb and resource to a user without permissions, and creates nothing', async () => {
    const { code, stdout, stderr } = await joinAs('nobody').ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^join the cluster: the credentials may not get nodes, .*patch nodes\/status, .*patch pods\/status, .*\(BERTH_SIMULATOR_JOIN_FORBIDDEN\)\n$/u,
    )
    expect(await nodes()).toEqual([])
  })

  test('refuses an unknown token', async () => {
    const { code, stderr } = await joinAs('stranger').ended
    expect([code, stderr]).toEqual([1, expect.stringContaining('401')])
    expect(stderr).not.toContain('    at ')
  })
})
