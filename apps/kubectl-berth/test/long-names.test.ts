import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'
const node = 'ip-10-0-12-34.eu-central-1.internal'
const namespace = 'machine-learning-experiments'
const workload = 'training-run-of-the-week'
const holder = `${workload}-7d9c6b8f6d-x2x9z`
const waiting = `${workload}-7d9c6b8f6d-q8w7e`

/** A node and pods of a Deployment, with names as controllers and clouds make them. */
async function longNames(): Promise<TestCluster> {
  const cluster = testCluster()
  const { client } = cluster
  await cluster.addNode(node, { [dongle]: '2' }, { labels: { 'topology.kubernetes.io/zone': 'eu-central-1a' } })
  await client.create(resourceRefs.namespaces, { metadata: { name: namespace } })
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'x' }] } }
  const spec = { selector: { matchLabels: { app: 'a' } }, template }
  const deployment = await client.create(resourceRefs.deployments, {
    metadata: { name: workload, namespace },
    spec,
  } as never)
  const set = await client.create(resourceRefs.replicaSets, {
    metadata: { name: `${workload}-7d9c6b8f6d`, namespace, ownerReferences: [ownerOf('Deployment', deployment)] },
    spec,
  } as never)
  const metadata = { namespace, labels: { app: 'a' }, ownerReferences: [ownerOf('ReplicaSet', set)] }
  await cluster.addPod(holder, { [dongle]: '2' }, { nodeName: node, metadata })
  await cluster.addPod(waiting, { [dongle]: '1' }, { metadata })
  const resources = [{ resourceID: 'GPU-7d9c6b8f-6d3a-4c55-9c1e-2f0a', health: 'Healthy' }]
  const status = { allocatedResourcesStatus: [{ name: dongle, resources }] }
  const containerStatus = { name: 'ctr', image: 'x', imageID: '', ready: true, restartCount: 0, ...status }
  await client.patch<Pod>(
    resourceRefs.pods,
    { namespace, name: holder },
    { status: { phase: 'Running', containerStatuses: [containerStatus] } },
    { type: 'merge', subresource: 'status' },
  )
  return cluster
}

function ownerOf(kind: string, { metadata }: { metadata?: { name?: string; uid?: string } }) {
  return { apiVersion: 'apps/v1', kind, name: metadata?.name ?? '', uid: metadata?.uid ?? '', controller: true }
}

describe.each([40, 60, 80])('at %i columns, with long names,', (columns) => {
  test.for<readonly [argv: readonly string[], shown: string]>([
    [['brief', '-n', namespace], waiting],
    [['brief', '-A'], waiting],
    [['brief', '-A', '--control', '--control-match', 'a'], waiting],
    [['capacity'], 'all'],
    [['capacity', '--pods'], holder],
    [['capacity', '--devices'], holder],
    [['capacity', '--group-by', 'topology.kubernetes.io/zone'], 'eu-central-1a'],
    [['explain', 'pod', waiting, '-n', namespace], holder],
    [['explain', '--all-pending', '-A'], waiting],
    [['whatif', '--drain', node], waiting],
    [['extensions'], 'dongle'],
    [['doctor'], 'OK'],
  ])('%j fits, and names stay whole', async ([argv, shown]) => {
    const cluster = await longNames()
    cluster.terminal.columns = columns
    cluster.terminal.tableColumns = columns
    const text = await cluster.run(...argv)
    const printed = `${text}${cluster.terminal.notes()}`.split('\n')
    // A command is not wrapped, so that it can be copied. Neither is a name that is wider than the terminal.
    const isOneName = (line: string): boolean => /^[ │]*\S+$/.test(line)
    const wrapped = printed.filter((line) => !line.includes('kubectl ') && !isOneName(line))
    expect(wrapped.filter((line) => line.length > columns)).toEqual([])
    const words = new Set(printed.flatMap((line) => line.split(/[ /:,.]+/)))
    expect(words).toContain(shown)
  })

  test('capacity without the right to list nodes fits', async () => {
    const cluster = await longNames()
    cluster.terminal.columns = columns
    cluster.terminal.tableColumns = columns
    cluster.forbid('nodes')
    const text = await cluster.run('capacity', '--all')
    expect(`${text}${cluster.terminal.notes()}`.split('\n').filter((line) => line.length > columns)).toEqual([])
  })
})
