import { expect, test } from 'vitest'
import { amounts, candidatePod, benchPod, DONGLE, goCluster } from './go-cluster.ts'
import { milliUnits, naiveScores } from './naive-scores.ts'

test.for([
  { it: 'whole units', text: '16', milli: 16_000n },
  { it: 'thousandths', text: '500m', milli: 500n },
  { it: 'binary suffixes', text: '2Gi', milli: 2_147_483_648_000n },
])('parses $it', ({ text, milli }) => {
  expect(milliUnits(text)).toBe(milli)
})

test('refuses forms that the benchmarks do not use', () => {
  expect(() => milliUnits('1e3')).toThrow(RangeError)
})

test('only the two nodes in three with free dongles are feasible', () => {
  const { nodes, pods } = goCluster(6)
  expect([...naiveScores(nodes, pods, candidatePod()).keys()]).toEqual(['node-1', 'node-2', 'node-4', 'node-5'])
})

test('scores equal those computed by hand', () => {
  const { nodes, pods } = goCluster(3)
  // cpu 5 + 1 of 16: 62 free; memory 10 + 2 of 64: 81 free; mean 71. Balance 92 before, 90 after: 50 + 24.
  expect(naiveScores(nodes, pods, candidatePod()).get('node-1')).toBe(300 + 71 + 74)
})

test('a node with its maximum number of pods is not feasible', () => {
  const node = { metadata: { name: 'n' }, status: { allocatable: { ...amounts('16', '64Gi'), pods: '1' } } }
  const held = benchPod('a', amounts('1', '1Gi'), 'n')
  expect(naiveScores([node], [held], benchPod('b', amounts('1', '1Gi'))).size).toBe(0)
  expect(naiveScores([node], [], benchPod('b', { ...amounts('1', '1Gi'), [DONGLE]: '1' })).size).toBe(0)
})
