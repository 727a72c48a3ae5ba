import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'
const labels = { app: 'web' }

function owner(kind: string, name: string) {
  return { apiVersion: 'apps/v1', kind, name, uid: `uid-${name}`, controller: true }
}

/** Adds a pod that runs and is ready. */
async function addReadyPod(cluster: TestCluster, name: string, nodeName: string, dongles = '1'): Promise<void> {
  const metadata = { labels, ownerReferences: [owner('ReplicaSet', 'web-1')] }
  await cluster.addPod(name, { [dongle]: dongles }, { nodeName, metadata })
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  const target = { namespace: 'default', name }
  await cluster.client.patch<Pod>(resourceRefs.pods, target, { status }, { type: 'merge', subresource: 'status' })
}

async function addBudget(cluster: TestCluster, disruptionsAllowed: number): Promise<void> {
  const metadata = { name: 'web', namespace: 'default' }
  const spec = { selector: { matchLabels: labels }, minAvailable: 2 }
  await cluster.create(resourceRefs.podDisruptionBudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec,
  } as never)
  const status = { disruptionsAllowed, currentHealthy: 2 + disruptionsAllowed, desiredHealthy: 2, expectedPods: 3 }
  await cluster.client.patch(
    resourceRefs.podDisruptionBudgets,
    metadata,
    { status: { observedGeneration: 1, ...status } },
    { type: 'merge', subresource: 'status' },
  )
}

async function outcomes(cluster: TestCluster, ...argv: readonly string[]): Promise<readonly string[]> {
  const { pods } = JSON.parse(await cluster.run('whatif', '-o', 'json', ...argv)) as {
    readonly pods: readonly {
      readonly name: string
      readonly nodeNow?: string
      readonly nodeAfter?: string
      readonly message: string
      readonly blockedBy: readonly string[]
    }[]
  }
  return pods
    .map(({ name, nodeNow = '-', nodeAfter = '-', message, blockedBy }) =>
      [`${name}: ${nodeNow} -> ${nodeAfter}`, ...(blockedBy.length > 0 ? [message] : [])].join(', '),
    )
    .toSorted()
}

/** Three ready pods on a node, and a node with room for some. */
async function replicated(freeDongles: string): Promise<TestCluster> {
  const cluster = testCluster()
  await cluster.addNode('node-a', { [dongle]: '4' })
  await cluster.addNode('node-b', { [dongle]: freeDongles })
  await cluster.client.create(resourceRefs.replicaSets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web-1', namespace: 'default', ownerReferences: [owner('Deployment', 'web')] },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } },
    },
  } as never)
  for (const name of ['web-a', 'web-b', 'web-c']) await addReadyPod(cluster, name, 'node-a')
  return cluster
}

const needed = 'it stays: PodDisruptionBudget default/web needs 2 healthy pods and has'

describe('whatif --drain with PodDisruptionBudgets', () => {
  test('keeps the pods that a budget does not let go, and names the budget', async () => {
    const cluster = await replicated('4')
    await addBudget(cluster, 0)
    expect(await outcomes(cluster, '--drain', 'node-a')).toEqual(
      ['a', 'b', 'c'].map((one) => `web-${one}: node-a -> node-a, ${needed} 2`),
    )
    const text = await cluster.run('whatif', '--drain', 'node-a')
    expect(text).toContain('3 of 3 pods would have a node.\n')
    expect(text).toContain('The drain does not end: PodDisruptionBudgets keep 3 pods on drained nodes.\n')
    expect(await cluster.run('whatif', '--drain', 'node-a', '-o', 'csv')).toMatch(
      /,blockedBy\n(?:.*,default\/web\n){3}$/,
    )
  })

  test('evicts one after the other while the replacements find nodes', async () => {
    const cluster = await replicated('4')
    await addBudget(cluster, 1)
    expect(await outcomes(cluster, '--drain', 'node-a')).toEqual(
      ['a', 'b', 'c'].map((one) => `web-${one}: node-a -> node-b`),
    )
  })

  test('stops where a replacement finds no node', async () => {
    const cluster = await replicated('1')
    await addBudget(cluster, 1)
    expect(await outcomes(cluster, '--drain', 'node-a')).toEqual([
      'web-a: node-a -> node-b',
      'web-b: node-a -> -',
      `web-c: node-a -> node-a, ${needed} 3`,
    ])
  })

  test('removes a node whatever budgets say', async () => {
    const cluster = await replicated('4')
    await addBudget(cluster, 0)
    expect(await outcomes(cluster, '--remove-node', 'node-a')).toEqual(
      ['a', 'b', 'c'].map((one) => `web-${one}: node-a -> node-b`),
    )
  })

  test('drains without budgets, and says so, where they may not be listed', async () => {
    const cluster = await replicated('4')
    await addBudget(cluster, 0)
    cluster.forbid('poddisruptionbudgets')
    expect(await outcomes(cluster, '--drain', 'node-a')).toContain('web-a: node-a -> node-b')
    expect(cluster.terminal.notes()).toContain('poddisruptionbudgets')
  })
})

describe('whatif --requests of a workload', () => {
  test.for([
    ['deploy/web'],
    ['deployment', 'web'],
    ['rs/web-1'],
    ['pod/web-a', 'pod/web-b', 'pod/web-c'],
    ['pod', 'web-a', 'web-b', 'web-c'],
  ])('recreates the pods of %j', async (words) => {
    const cluster = await replicated('2')
    expect(await outcomes(cluster, ...words, '--requests', `${dongle}=2`)).toEqual([
      expect.stringMatching(/^web-a: node-a -> node-[ab]$/),
      expect.stringMatching(/^web-b: node-a -> node-[ab]$/),
      expect.stringMatching(/^web-c: node-a -> node-[ab]$/),
    ])
    const tooMany = await outcomes(cluster, ...words, '--requests', `${dongle}=3`)
    expect(tooMany.filter((one) => one.endsWith('-> -'))).toHaveLength(2)
  })

  test('finds the pods of a Deployment in a snapshot with its ReplicaSets', async () => {
    const cluster = await replicated('2')
    const kinds = [resourceRefs.nodes, resourceRefs.pods, resourceRefs.replicaSets]
    const lists = await Promise.all(kinds.map((ref) => cluster.client.list<object>(ref)))
    const items = lists.flatMap(({ items: found }, i) => {
      const { group, version, kind } = kinds[i] ?? resourceRefs.nodes
      return found.map((one) => ({ ...one, apiVersion: group === '' ? version : `${group}/${version}`, kind }))
    })
    const reader = testCluster({ 'cluster.json': JSON.stringify({ items }) })
    const argv = ['deploy/web', '--requests', `${dongle}=3`, '--snapshot', 'cluster.json']
    expect((await outcomes(reader, ...argv)).filter((one) => one.endsWith('-> -'))).toHaveLength(2)
  })

  test.for([
    { argv: ['deploy/none'], says: 'try a change of deployment default/none: it has no pods' },
    { argv: ['node/node-a'], says: 'whatif: cannot change "node", only pods, deployments' },
    { argv: ['deploy/web/x'], says: 'whatif: expected KIND/NAME, not "deploy/web/x"' },
  ])('refuses $argv', async ({ argv, says }) => {
    const cluster = await replicated('2')
    await expect(cluster.run('whatif', ...argv, '--requests', 'cpu=1')).rejects.toThrow(says)
  })
})

describe('whatif with partial rights', () => {
  test('counts the pods of the namespace, and says so', async () => {
    const cluster = await replicated('4')
    cluster.forbidClusterWide('pods', 'replicasets')
    expect(await outcomes(cluster, '--drain', 'node-a')).toHaveLength(3)
    expect(cluster.terminal.notes()).toMatch(
      /Evaluated without pods \(other namespaces\), .*: this user may not list them/,
    )
    expect(await outcomes(cluster, 'deploy/web', '--requests', `${dongle}=1`)).toHaveLength(3)
  })

  test('says what to grant where nodes may not be listed', async () => {
    const cluster = await replicated('4')
    cluster.forbid('nodes')
    await expect(cluster.run('whatif', '--drain', 'node-a')).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_FORBIDDEN',
      message: 'try a change: this user may not list nodes',
      hint: expect.stringContaining('Grant the verb list on nodes'),
    })
  })
})
