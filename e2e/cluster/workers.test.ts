import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { CannotRunError } from './cannot-run.ts'
import { requireTwoWorkers, schedulable } from './workers.ts'

const node = (name: string, spec: Node['spec'] = {}, labels = {}, ready = 'True'): Node => ({
  metadata: { name, labels },
  spec,
  status: { conditions: [{ type: 'Ready', status: ready }] },
})
const controlPlane = node('c', {}, { 'node-role.kubernetes.io/control-plane': '' })
const tainted = (key: string, effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'): Node['spec'] => ({
  taints: [{ key, effect }],
})

describe('schedulable', () => {
  test('returns workers sorted by name', () => {
    expect(schedulable([node('b'), controlPlane, node('a')]).map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  })

  test.for([
    ['a cordoned node', { unschedulable: true }],
    ['a node with a NoSchedule taint', tainted('example.com/gpu', 'NoSchedule')],
    ['a node with a NoExecute taint', tainted('example.com/gpu', 'NoExecute')],
  ] as const)('excludes %s', ([, spec]) => {
    expect(schedulable([node('a', spec)])).toEqual([])
  })

  test.for([
    ['is restarting its kubelet', tainted('node.kubernetes.io/not-ready', 'NoSchedule')],
    ['has a PreferNoSchedule taint', tainted('example.com/gpu', 'PreferNoSchedule')],
  ] as const)('includes a node that %s', ([, spec]) => {
    expect(schedulable([node('a', spec)])).toHaveLength(1)
  })
})

describe('requireTwoWorkers', () => {
  test('accepts two', () => {
    expect(() => requireTwoWorkers([node('a'), controlPlane, node('b')])).not.toThrow()
  })

  test.for([
    ['one', [node('a'), controlPlane], 'of the cluster’s 2 nodes, these are usable: a'],
    [
      'two, of which one is not ready',
      [node('a'), node('b', {}, {}, 'False')],
      'of the cluster’s 2 nodes, these are usable: a',
    ],
    ['none', [controlPlane], 'of the cluster’s 1 nodes, these are usable: none'],
  ] as const)('refuses %s', ([, nodes, words]) => {
    expect(() => requireTwoWorkers(nodes)).toThrow(CannotRunError)
    expect(() => requireTwoWorkers(nodes)).toThrow(words)
  })
})
