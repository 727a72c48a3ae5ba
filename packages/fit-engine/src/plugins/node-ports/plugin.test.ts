import { type Node, type Pod, type PodSpec, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { decide } from '../../decide/decide.ts'
import { examineFilter } from '../../framework/examine.ts'
import { createFramework } from '../../framework/framework.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { nodePorts } from './plugin.ts'

const input = { nowMs: 0, random: () => 0 }
const node = (name: string): Node => ({ metadata: { name }, spec: {} })
const pod = (spec: Partial<PodSpec>, uid = 'p'): Pod => ({ metadata: { uid }, spec: { containers: [], ...spec } })
const stateOf = (...nodes: readonly Node[]): ReturnType<typeof createClusterState> => {
  const state = createClusterState()
  for (const each of nodes) state.setNode(each)
  return state
}

describe('NodePorts', () => {
  const wanting = (hostPort: number, hostIP?: string, uid = 'p'): Pod =>
    pod(
      { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort, ...(hostIP !== undefined && { hostIP }) }] }] },
      uid,
    )
  const onNode = (made: Pod, name: string): Pod => ({ ...made, spec: { ...made.spec, nodeName: name } })

  test('rejects a node while the port is in use there', () => {
    const state = stateOf(node('a'), node('b'))
    const holder = onNode(wanting(80, '10.0.0.1', 'holder'), 'a')
    state.setPod(holder)
    const { nodes } = examineFilter(nodePorts, state, wanting(80), input)
    expect(nodes.get('b')?.code).toBe(StatusCode.Success)
    expect(nodes.get('a')).toEqual({
      code: StatusCode.Unschedulable,
      reasons: ["node(s) didn't have free ports for the requested pod ports"],
    })
    expect(examineFilter(nodePorts, state, wanting(80, '10.0.0.2'), input).nodes.get('a')?.code).toBe(
      StatusCode.Success,
    )
    state.deletePod(holder)
    expect(examineFilter(nodePorts, state, wanting(80), input).nodes.get('a')?.code).toBe(StatusCode.Success)
  })

  // kube-scheduler's own code forgets the second: docs/adr/0002-oracle.md.
  test('a port that two pods of a node use is free when both are gone', () => {
    const state = stateOf(node('a'))
    const holders = ['one', 'two'].map((uid) => onNode(wanting(80, undefined, uid), 'a'))
    const codes = holders.map((holder) => {
      for (const each of holders) state.setPod(each)
      state.deletePod(holder)
      return examineFilter(nodePorts, state, wanting(80), input).nodes.get('a')?.code
    })
    expect(codes).toEqual([StatusCode.Unschedulable, StatusCode.Unschedulable])
    for (const holder of holders) state.deletePod(holder)
    expect(examineFilter(nodePorts, state, wanting(80), input).nodes.get('a')?.code).toBe(StatusCode.Success)
  })

  test('skips a pod without host ports', () => {
    expect(examineFilter(nodePorts, stateOf(node('a')), wanting(0), input).preFilter).toEqual({ kind: 'skip' })
  })

  test('reserves a port for a nominated pod of higher priority', () => {
    const state = stateOf(node('a'))
    const nominated = wanting(80, undefined, 'nominated')
    state.nominate({ ...nominated, spec: { ...nominated.spec, priority: 1 } }, 'a')
    const framework = createFramework({ plugins: [{ plugin: nodePorts, weight: 0 }] })
    expect(decide(framework, state, wanting(80), input).feasible).toEqual([])
    expect(decide(framework, state, wanting(81), input).feasible).toEqual(['a'])
  })
})
