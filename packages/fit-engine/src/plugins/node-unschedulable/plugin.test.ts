import { type Node, type Pod, type PodSpec, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { examineFilter } from '../../framework/examine.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { nodeUnschedulable } from './plugin.ts'

const input = { nowMs: 0, random: () => 0 }
const node = (name: string, spec: Node['spec'] = {}): Node => ({ metadata: { name }, spec })
const pod = (spec: Partial<PodSpec> = {}): Pod => ({ metadata: { uid: 'p' }, spec: { containers: [], ...spec } })
const stateOf = (...nodes: readonly Node[]): ReturnType<typeof createClusterState> => {
  const state = createClusterState()
  for (const each of nodes) state.setNode(each)
  return state
}

describe('NodeUnschedulable', () => {
  test.for([
    { it: 'rejects cordoned nodes', tolerations: [], fits: false },
    {
      it: 'accepts them for pods that tolerate the taint',
      tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }],
      fits: true,
    },
    { it: 'accepts them for pods that tolerate everything', tolerations: [{}], fits: true },
    {
      it: 'rejects them for pods that tolerate the taint with a value',
      tolerations: [{ key: 'node.kubernetes.io/unschedulable', value: 'x' }],
      fits: false,
    },
  ])('$it', ({ tolerations, fits }) => {
    const state = stateOf(node('open'), node('cordoned', { unschedulable: true }))
    const { nodes } = examineFilter(nodeUnschedulable, state, pod({ tolerations }), input)
    expect(nodes.get('open')?.code).toBe(StatusCode.Success)
    expect(nodes.get('cordoned')).toEqual(
      fits
        ? { code: StatusCode.Success, reasons: [] }
        : { code: StatusCode.UnschedulableAndUnresolvable, reasons: ['node(s) were unschedulable'] },
    )
  })

  test('accepts a node that was uncordoned', () => {
    const state = stateOf(node('n', { unschedulable: true }))
    state.setNode(node('n'))
    expect(examineFilter(nodeUnschedulable, state, pod(), input).nodes.get('n')?.code).toBe(StatusCode.Success)
  })
})
