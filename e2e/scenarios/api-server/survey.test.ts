import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { eventually, kubectlBinary } from '@berth/testing'
import type { Node } from '@berth/types'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { type CommandResult, runCommand } from '../../cluster/run-command.ts'
import { startRealApiServer } from '../../real-api-server/real-api-server.ts'
import { startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'

const MAIN = join(import.meta.dirname, '../../../apps/kubectl-berth/src/main.ts')
const DONGLE = 'example.com/dongle'
const GONE = 'example.com/gone'

interface Survey {
  readonly kind: string
  readonly extensions: readonly {
    readonly name: string
    readonly use: string
    readonly health: string
    readonly evidence: readonly string[]
  }[]
  readonly missing: readonly string[]
}
interface Report {
  readonly status: string
  readonly findings: readonly { readonly fix: { readonly state: string; readonly commands: readonly string[] } }[]
}

describe('extensions and doctor on a real kube-apiserver with a real kube-scheduler', () => {
  const parts = new AsyncDisposableStack()
  let cluster: Cluster
  const kubeconfigs = new Map<string, string>()

  const berth = (words: readonly string[], user = 'admin'): Promise<CommandResult> =>
    runCommand(process.execPath, [
      '-C',
      '@berth/source',
      MAIN,
      ...words,
      '-o',
      'json',
      '--kubeconfig',
      kubeconfigs.get(user) ?? '',
    ])
  const survey = async (user?: string): Promise<ReadonlyMap<string, Survey>> => {
    const { surveys } = JSON.parse((await berth(['extensions'], user)).stdout) as {
      readonly surveys: readonly Survey[]
    }
    return new Map(surveys.map((one) => [one.kind, one]))
  }
  const examine = async (id: string): Promise<Report & { readonly exit: number }> => {
    const { stdout, status } = await berth(['doctor', id])
    const [report] = (JSON.parse(stdout) as { readonly checks: readonly Report[] }).checks
    return { status: '', findings: [], ...report, exit: status }
  }
  const setUnits = (name: string, capacity: object, allocatable: object, fieldManager: string): Promise<Node> =>
    cluster.client.patchNodeStatus(name, { status: { capacity, allocatable } }, { fieldManager })

  beforeAll(async () => {
    const server = parts.use(await startRealApiServer())
    cluster = parts.use(connectQuietly({ access: server.access() }))
    for (const user of ['admin', 'nobody'] as const) {
      const file = join(server.dir, `${user}.kubeconfig`)
      writeFileSync(file, server.kubeconfig(user), { mode: 0o600 })
      kubeconfigs.set(user, file)
    }
    await cluster.client.create<Node>(resourceRefs.nodes, {
      metadata: { name: 'node-a', labels: { 'kubernetes.io/hostname': 'node-a' } },
      spec: {},
    })
    await setUnits('node-a', { cpu: '4', [GONE]: '0' }, { cpu: '4', [GONE]: '0' }, 'kubelet')
    await setUnits('node-a', { [DONGLE]: '4' }, { [DONGLE]: '4' }, 'kubectl-patch')
    const config = { leaderElection: { leaderElect: true } }
    const scheduler = startKubeScheduler({ dir: server.dir, kubeconfig: server.kubeconfig(), config })
    parts.defer(() => scheduler.kill())
    await eventually(
      () =>
        cluster.client.find(resourceRefs.leases, {
          namespace: 'kube-system',
          name: 'kube-scheduler',
        }),
      { what: 'the Lease of kube-scheduler', timeoutMs: 60_000, signal: new AbortController().signal },
    )
  })
  afterAll(() => parts.disposeAsync())

  test('reads every kind, names the owner of each resource, and sees the scheduler at work', async () => {
    const kinds = await survey()
    expect(kinds.size).toBe(15)
    expect([...kinds.values()].flatMap(({ missing }) => missing)).toEqual([])
    expect(kinds.get('schedulers')?.extensions).toMatchObject([{ name: 'default-scheduler', health: 'healthy' }])
    expect(kinds.get('extended-resources')?.extensions).toMatchObject([
      { name: DONGLE, evidence: ['4 units on node node-a: written by the field manager kubectl-patch.'] },
      { name: GONE, health: 'unhealthy' },
    ])
  })

  test('tells a user without rights what to grant, and does not fail', async () => {
    const kinds = await survey('nobody')
    for (const kind of ['schedulers', 'csi-drivers', 'webhooks', 'custom-resources', 'aggregated-apis'])
      expect(kinds.get(kind)?.missing.join(' ')).toContain('grant the verb "list"')
  })

  test('doctor proposes a command that the API server accepts, and that removes the stale name', async () => {
    const before = await examine('stale-resources')
    expect(before).toMatchObject({ status: 'warning', exit: 0, findings: [{ fix: { state: 'verified' } }] })
    const [command = ''] = before.findings[0]?.fix.commands ?? []
    const PATH = `${dirname(await kubectlBinary())}:${process.env['PATH'] ?? ''}`
    const env = { PATH, KUBECONFIG: kubeconfigs.get('admin') ?? '' }
    const { status, stderr } = await runCommand('sh', ['-c', command], { env })
    expect([status, stderr]).toEqual([0, ''])
    expect(await examine('stale-resources')).toMatchObject({ status: 'ok', exit: 0, findings: [] })
  })

  test('doctor fails for a resource of which no unit is allocatable', async () => {
    await setUnits('node-a', { [DONGLE]: '4' }, { [DONGLE]: '0' }, 'kubelet')
    expect(await examine('stale-resources')).toMatchObject({ status: 'problem', exit: 1 })
  })
})
