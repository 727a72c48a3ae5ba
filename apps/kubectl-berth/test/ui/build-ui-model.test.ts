import { snapshotCluster } from '@berth/cluster-view'
import { expect, test } from 'vitest'
import { buildUiModel } from '../../src/ui/model/build-ui-model.ts'
import { createClusterTable } from '../../src/ui/cluster/cluster-table.ts'
import { createHistory } from '../../src/ui/model/history.ts'
import { testCluster } from '../test-cluster.ts'

const dongle = 'example.com/dongle'

test('holds the amounts that capacity shows, nulls where a resource is not offered, and the pending pods', async () => {
  const cluster = testCluster()
  await cluster.addNode('node-b')
  await cluster.addNode('node-a', { [dongle]: '4' })
  await cluster.addPod('web', { [dongle]: '3', cpu: '500m' }, { nodeName: 'node-a' })
  await cluster.addPod('waits', { [dongle]: '3' })
  const { nodes, pods } = await snapshotCluster(cluster.client)
  const [table, history] = [createClusterTable(), createHistory()]
  for (const node of nodes.values()) table.setNode(node)
  for (const pod of pods) table.setPod(pod)
  const step = table.takeStep(7)
  if (step !== undefined) history.add(step)
  const moment = history.latest()
  if (moment === undefined) throw new Error('the history has no step')
  const model = buildUiModel(moment, ['incomplete'])
  // A pod that was given its node counts as pending until its containers start.
  expect(model).toMatchObject({ timeMs: 7, nodes: ['node-a', 'node-b'], pendingCount: 2, notes: ['incomplete'] })
  const { resources } = JSON.parse(await cluster.run('capacity', '--all', '-o', 'json'))
  expect(model.resources.map(({ name }) => name)).toEqual(
    resources.map(({ resourceName }: { resourceName: string }) => resourceName),
  )
  expect(model.resources.find(({ name }) => name === dongle)).toEqual({
    name: dongle,
    total: [4, 3, 1, 0],
    largestBlock: 1,
    cells: [[4, 3, 1, 0], null],
  })
  expect(model.resources.find(({ name }) => name === 'cpu')).toMatchObject({
    total: [4_000, 500, 3_500, 0],
    cells: [
      [2_000, 500, 1_500, 0],
      [2_000, 0, 2_000, 0],
    ],
  })
})
