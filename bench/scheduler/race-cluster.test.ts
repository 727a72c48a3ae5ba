import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { checkPlacement, raceCluster } from './race-cluster.ts'

function placedOn(nodes: readonly (number | undefined)[]): readonly Pod[] {
  return nodes.map((node, i) => ({
    metadata: { name: `pod-${i}`, namespace: 'default' },
    spec: { containers: [], ...(node !== undefined && { nodeName: `node-${node}` }) },
  }))
}

describe('checkPlacement', () => {
  test.for([
    { it: 'refuses a pod without a node', on: [0, undefined], workload: 'dongle', message: '1 of 2 pods have a node' },
    { it: 'refuses a missing pod', on: [0], workload: 'dongle', message: '1 of 2 pods have a node' },
    {
      it: 'refuses too many pods on one node',
      on: Array(9).fill(4),
      workload: 'dongle',
      message: '9 pods share node-4',
    },
    {
      it: 'refuses uneven zones',
      on: [0, 3, 6, 9, 12, 15],
      workload: 'spread',
      message: 'the zones hold 6, 0, 0 pods',
    },
  ] as const)('$it', ({ on, workload, message }) => {
    expect(() => checkPlacement(placedOn(on), Math.max(2, on.length), workload)).toThrow(message)
  })

  test('accepts a correct placement', () => {
    expect(() => checkPlacement(placedOn([0, 1, 2, 3]), 4, 'spread')).not.toThrow()
  })
})

test('raceCluster generates the nodes and the pending pods', () => {
  const keys = Array.from(raceCluster(2, 3, 'spread'), ([key]) => key)
  expect(keys).toEqual([
    'minions/node-0',
    'minions/node-1',
    'pods/default/pod-0',
    'pods/default/pod-1',
    'pods/default/pod-2',
  ])
})
