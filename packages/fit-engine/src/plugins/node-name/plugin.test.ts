import { type Node, type Pod, type PodSpec, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { examineFilter } from '../../framework/examine.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { nodeName } from './plugin.ts'

const input = { nowMs: 0, random: () => 0 }
const node = (name: string): Node => ({ metadata: { name }, spec: {} })
const pod = (spec: Partial<PodSpec>): Pod => ({ metadata: { uid: 'p' }, spec: { containers: [], ...spec } })
const stateOf = (...nodes: readonly Node[]): ReturnType<typeof createClusterState> => {
  const state = createClusterState()
  for (const each of nodes) state.setNode(each)
  return state
}

describe('NodeName', () => {
  test('rejects all nodes but the one that the pod names', () => {
    const { nodes } = examineFilter(nodeName, stateOf(node('a'), node('b')), pod({ nodeName: 'b' }), input)
    expect(nodes.get('b')?.code).toBe(StatusCode.Success)
    expect(nodes.get('a')).toEqual({
      code: StatusCode.UnschedulableAndUnresolvable,
      reasons: ["node(s) didn't match the requested node name"],
    })
  })

  test('accepts every node for other pods', () => {
    const { nodes } = examineFilter(nodeName, stateOf(node('a')), pod({ nodeName: '' }), input)
    expect(nodes.get('a')?.code).toBe(StatusCode.Success)
  })
})
