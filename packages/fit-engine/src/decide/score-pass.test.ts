import { expect, test } from 'vitest'
import { input, node, pod } from '../../test/builders.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from './decide.ts'
import type { EnginePlugin } from '../framework/engine-plugin.ts'
import { createFramework } from '../framework/framework.ts'
import { nodeResourcesFit } from '../plugins/node-resources-fit/plugin.ts'

const DONGLE = 'example.com/dongle'

function cluster(...units: readonly number[]): ClusterState {
  const state = createClusterState()
  units.forEach((count, i) => state.setNode(node(`n${i}`, { [DONGLE]: `${count}` })))
  return state
}

test('fails because of a cached score that is out of range, but only if the pod fits on that node', () => {
  const wild: EnginePlugin = {
    name: 'Wild',
    scoreShape: () => 'same',
    score: (_pod, { rows, count }, scores) => {
      for (let i = 0; i < count; i++) scores[i] = rows[i] === 0 ? 101 : 7
    },
  }
  const profile = createFramework({ plugins: [nodeResourcesFit(), wild].map((plugin) => ({ plugin, weight: 1 })) })
  const [fits, state] = [cluster(1, 1, 1, 1), cluster(0, 1, 1, 1)]
  for (let turn = 0; turn < 3; turn++) {
    const failed = decide(profile, fits, pod('p', { [DONGLE]: '1' }), input)
    expect(failed.message).toContain('plugin "Wild" returns an invalid score 101')
    expect(decide(profile, state, pod('p', { [DONGLE]: '1' }), input).best).toEqual(['n1', 'n2', 'n3'])
  }
})

test.for([true, false])('finds every node best when no plugin scores, with pluginScores: %s', (pluginScores) => {
  const none = createFramework({ plugins: [] })
  const decision = decide(none, cluster(1, 1), pod('p'), { ...input, pluginScores })
  expect([decision.best, [...decision.totals.values()]]).toEqual([
    ['n0', 'n1'],
    [0, 0],
  ])
})
