import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'
const owned = { metadata: { ownerReferences: [owner('ReplicaSet')] } }

function owner(kind: string) {
  return { apiVersion: 'apps/v1', kind, name: 'web', uid: `uid-${kind}`, controller: true }
}

/** Keeps every pod off copies of nodes. */
const originals = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'originals',
  description: 'Rejects copies.',
  argsSchema: z.strictObject({}),
  create: () => perNode({ filter: (_pod, { name }) => (name.includes('copy') ? 'node(s) are copies' : undefined) }),
})

/** Two nodes of four dongles: three and two are held, and one pod of three waits. */
async function busy(files: Record<string, string> = {}): Promise<TestCluster> {
  const cluster = testCluster(files, {}, [originals])
  await cluster.addNode('node-a', { [dongle]: '4' })
  await cluster.addNode('node-b', { [dongle]: '4' })
  await cluster.addPod('web', { [dongle]: '3' }, { nodeName: 'node-a', ...owned })
  await cluster.addPod('bare', { [dongle]: '1' }, { nodeName: 'node-a' })
  await cluster.addPod('log', {}, { nodeName: 'node-a', metadata: { ownerReferences: [owner('DaemonSet')] } })
  await cluster.addPod('other', { [dongle]: '2' }, { nodeName: 'node-b', ...owned })
  await cluster.addPod('waits', { [dongle]: '3' })
  return cluster
}

async function outcomes(cluster: TestCluster, ...argv: readonly string[]) {
  const { pods } = JSON.parse(await cluster.run('whatif', '-o', 'json', ...argv)) as {
    readonly pods: readonly {
      readonly name: string
      readonly nodeNow?: string
      readonly nodeAfter?: string
      readonly message: string
    }[]
  }
  return pods.map(
    ({ name, nodeNow = '-', nodeAfter = '-', message }) =>
      `${name}: ${nodeNow} -> ${nodeAfter}${message && ` (${message})`}`,
  )
}

describe('whatif', () => {
  test('shows which pending pods new nodes place, and changes nothing in the cluster', async () => {
    const cluster = await busy()
    expect(await cluster.run('whatif', '--add-node', 'node-a=2')).toMatch(
      /^POD {13}NOW {7}THEN {12}WHY\ndefault\/waits {3}Pending {3}node-a-copy-[12]\n\n1 of 1 pods would have a node\.\n$/,
    )
    expect(await cluster.run('explain', 'pod', 'waits')).toContain('none of 2 nodes')
  })

  test.for([40, 60, 80])('fits into %i columns', async (columns) => {
    const cluster = await busy()
    Object.assign(cluster.terminal, { columns, tableColumns: columns })
    const lines = (await cluster.run('whatif', '--drain', 'node-a')).split('\n')
    expect(lines.filter(({ length }) => length > columns)).toEqual([])
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain('it is deleted: no controller recreates it')
  })

  test('drains a node: its pods need another place, DaemonSet pods stay, and pods without a controller are gone', async () => {
    const cluster = await busy()
    expect(await outcomes(cluster, '--drain', 'node-a')).toEqual([
      'waits: - -> - (0/2 nodes are available: 1 Insufficient example.com/dongle, 1 node(s) were unschedulable.)',
      'web: node-a -> - (0/2 nodes are available: 1 Insufficient example.com/dongle, 1 node(s) were unschedulable.)',
      'bare: node-a -> - (it is deleted: no controller recreates it)',
    ])
    const grown = await outcomes(cluster, '--drain', 'node-a', '--add-node', 'node-b=2')
    expect(grown.slice(0, 2)).toEqual([
      expect.stringMatching(/^waits: - -> node-b-copy-\d$/),
      expect.stringMatching(/^web: node-a -> node-b-copy-\d$/),
    ])
  })

  test('removes a node with its DaemonSet pods', async () => {
    const cluster = await busy()
    expect(await outcomes(cluster, '--remove-node', 'node-b', '--remove-node', 'node-a')).toEqual([
      'waits: - -> - (no nodes available to schedule pods)',
      'other: node-b -> - (no nodes available to schedule pods)',
      'web: node-a -> - (no nodes available to schedule pods)',
      'bare: node-a -> - (it is deleted: no controller recreates it)',
    ])
  })

  test('recreates a pod with other requests', async () => {
    const cluster = await busy()
    expect(await outcomes(cluster, 'pod', 'waits', '--requests', `${dongle}=2`)).toEqual(['waits: - -> node-b'])
    expect(await outcomes(cluster, 'pod', 'other', '--requests', `${dongle}=1`)).toEqual([
      'waits: - -> node-b',
      'other: node-b -> node-b',
    ])
  })

  test('decides with the plugins of the scheduler', async () => {
    const cluster = await busy()
    expect(await outcomes(cluster, '--add-node', 'node-a', '--plugin-dir', 'plugins')).toEqual([
      'waits: - -> - (0/3 nodes are available: 1 node(s) are copies, 2 Insufficient example.com/dongle.)',
    ])
  })

  test('reads the cluster from a file, without a connection', async () => {
    const amounts = { cpu: '4', pods: '10', [dongle]: '1' }
    const items = [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status: { capacity: amounts, allocatable: amounts } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'shop', name: 'p', uid: 'p' },
        spec: { containers: [{ name: 'c', resources: { requests: { [dongle]: '2' } } }] },
      },
    ]
    const cluster = testCluster({ 'cluster.json': JSON.stringify({ kind: 'List', items }), 'none.yaml': 'items: []' })
    const argv = ['pod', 'p', '-n', 'shop', '--requests', `${dongle}=1`] as const
    expect(await outcomes(cluster, '--snapshot', 'cluster.json', ...argv)).toEqual(['p: - -> n'])
    await expect(outcomes(cluster, '--snapshot', 'none.yaml', ...argv)).rejects.toThrow(
      'read the snapshot none.yaml: it holds no node',
    )
  })

  test.for([
    { argv: [], says: 'whatif: which change?' },
    { argv: ['--add-node', 'node-a=0'], says: '--add-node node-a=0: expected NODE or NODE=COUNT' },
    { argv: ['--requests', `${dongle}=1`], says: 'whatif: --requests needs a pod or a workload' },
    { argv: ['pod', 'waits'], says: 'whatif: which requests of pod waits?' },
    { argv: ['pod', 'waits', '--requests', 'cpu=many'], says: '--requests cpu=many: expected RESOURCE=AMOUNT' },
    { argv: ['--drain', 'node-z'], says: 'try a change of node node-z: not found' },
    { argv: ['pod', 'no', '--requests', 'cpu=1'], says: 'try a change of pod default/no: not found' },
  ])('refuses $argv', async ({ argv, says }) => {
    const cluster = await busy()
    await expect(cluster.run('whatif', ...argv)).rejects.toThrow(says)
  })

  test('says that a change affects no pod', async () => {
    const cluster = testCluster()
    await cluster.addNode('node-a')
    expect(await cluster.run('whatif', '--drain', 'node-a')).toBe('No pod is pending, and none loses its node.\n')
  })
})
