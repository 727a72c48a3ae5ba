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
  test('names workers in order', () => {
    expect(schedulable([node('b'), controlPlane, node('a')]).map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  })

  test.for([
    ['a cordoned node', { unschedulable: true }],
    ['a node that keeps pods away', tainted('example.com/gpu', 'NoSchedule')],
    ['a node that drives pods out', tainted('example.com/gpu', 'NoExecute')],
  ] as const)('leaves out %s', ([, spec]) => {
    expect(schedulable([node('a', spec)])).toEqual([])
  })

  test.for([
    ['is restarting its kubelet', tainted('node.kubernetes.io/not-ready', 'NoSchedule')],
    ['would rather have no pods', tainted('example.com/gpu', 'PreferNoSchedule')],
  ] as const)('takes a node that %s', ([, spec]) => {
    expect(schedulable([node('a', spec)])).toHaveLength(1)
  })
})

describe('requireTwoWorkers', () => {
  test('is content with two', () => {
    expect(() => requireTwoWorkers([node('a'), controlPlane, node('b')])).not.toThrow()
  })

  test.for([
    ['one', [node('a'), controlPlane], 'of the cluster’s 2 nodes a will do'],
    ['two, of which one is not ready', [node('a'), node('b', {}, {}, 'False')], 'of the cluster’s 2 nodes a will do'],
    ['none', [controlPlane], 'of the cluster’s 1 nodes none will do'],
  ] as const)('refuses %s', ([, nodes, words]) => {
    expect(() => requireTwoWorkers(nodes)).toThrow(CannotRunError)
    expect(() => requireTwoWorkers(nodes)).toThrow(words)
  })
})
