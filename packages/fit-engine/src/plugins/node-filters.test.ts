import { type Node, type Pod, type PodSpec, StatusCode, type Taint, type Toleration } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from '../decide.ts'
import { examineFilter, examineScore } from '../framework/examine.ts'
import { createFramework } from '../framework/framework.ts'
import { nodeName } from './node-name.ts'
import { nodePorts } from './node-ports.ts'
import { nodeUnschedulable } from './node-unschedulable.ts'
import { taintToleration } from './taint-toleration.ts'

const input = { nowMs: 0, random: () => 0 }
const node = (name: string, spec: Node['spec'] = {}): Node => ({ metadata: { name }, spec })
const pod = (spec: Partial<PodSpec> = {}, uid = 'p'): Pod => ({ metadata: { uid }, spec: { containers: [], ...spec } })
const stateOf = (...nodes: readonly Node[]): ReturnType<typeof createClusterState> => {
  const state = createClusterState()
  for (const each of nodes) state.setNode(each)
  return state
}
const taint = (effect: string, key = 'gpu', value = 'old'): Taint => ({ key, value, effect })

describe('NodeUnschedulable', () => {
  test.for([
    { it: 'keeps pods off cordoned nodes', tolerations: [], fits: false },
    {
      it: 'lets those on that tolerate the taint of it',
      tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }],
      fits: true,
    },
    { it: 'lets those on that tolerate everything', tolerations: [{}], fits: true },
    {
      it: 'keeps those off that tolerate it with a value',
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

  test('sees a node that was opened again', () => {
    const state = stateOf(node('n', { unschedulable: true }))
    state.setNode(node('n'))
    expect(examineFilter(nodeUnschedulable, state, pod(), input).nodes.get('n')?.code).toBe(StatusCode.Success)
  })
})

describe('NodeName', () => {
  test('lets a pod that names its node nowhere else', () => {
    const { nodes } = examineFilter(nodeName, stateOf(node('a'), node('b')), pod({ nodeName: 'b' }), input)
    expect(nodes.get('b')?.code).toBe(StatusCode.Success)
    expect(nodes.get('a')).toEqual({
      code: StatusCode.UnschedulableAndUnresolvable,
      reasons: ["node(s) didn't match the requested node name"],
    })
  })

  test('lets any other pod everywhere', () => {
    const { nodes } = examineFilter(nodeName, stateOf(node('a')), pod({ nodeName: '' }), input)
    expect(nodes.get('a')?.code).toBe(StatusCode.Success)
  })
})

describe('TaintToleration', () => {
  test.for([
    { it: 'no toleration', taints: [taint('NoSchedule')], tolerations: [], fits: false },
    { it: 'NoExecute', taints: [taint('NoExecute')], tolerations: [], fits: false },
    { it: 'PreferNoSchedule', taints: [taint('PreferNoSchedule')], tolerations: [], fits: true },
    { it: 'an effect that nobody knows', taints: [taint('Sometimes')], tolerations: [], fits: true },
    { it: 'equal value', taints: [taint('NoSchedule')], tolerations: [{ key: 'gpu', value: 'old' }], fits: true },
    {
      it: 'operator Equal',
      taints: [taint('NoSchedule')],
      tolerations: [{ key: 'gpu', operator: 'Equal', value: 'new' }],
      fits: false,
    },
    {
      it: 'operator Exists',
      taints: [taint('NoSchedule')],
      tolerations: [{ key: 'gpu', operator: 'Exists', value: 'new' }],
      fits: true,
    },
    {
      it: 'an operator whose gate is off',
      taints: [taint('NoSchedule', 'gpu', '5')],
      tolerations: [{ key: 'gpu', operator: 'Gt', value: '4' }],
      fits: false,
    },
    { it: 'other key', taints: [taint('NoSchedule')], tolerations: [{ key: 'cpu', operator: 'Exists' }], fits: false },
    { it: 'no key', taints: [taint('NoSchedule')], tolerations: [{ operator: 'Exists' }], fits: true },
    {
      it: 'other effect',
      taints: [taint('NoSchedule')],
      tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
      fits: false,
    },
    {
      it: 'one taint of two',
      taints: [taint('NoSchedule'), taint('NoSchedule', 'b')],
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
      fits: false,
    },
    {
      it: 'no value on either side',
      taints: [{ key: 'k', effect: 'NoSchedule' }],
      tolerations: [{ key: 'k' }],
      fits: true,
    },
  ] satisfies { it: string; taints: Taint[]; tolerations: Toleration[]; fits: boolean }[])(
    '$it: $fits',
    ({ taints, tolerations, fits }) => {
      const { nodes } = examineFilter(taintToleration, stateOf(node('n', { taints })), pod({ tolerations }), input)
      expect(nodes.get('n')).toEqual(
        fits
          ? { code: StatusCode.Success, reasons: [] }
          : { code: StatusCode.UnschedulableAndUnresolvable, reasons: ['node(s) had untolerated taint(s)'] },
      )
    },
  )

  test('prefers nodes with fewer PreferNoSchedule taints that are not tolerated', () => {
    const [soft, other] = [taint('PreferNoSchedule'), taint('PreferNoSchedule', 'b')]
    const state = stateOf(
      node('none'),
      node('one', { taints: [soft] }),
      node('two', { taints: [soft, other, taint('NoSchedule', 'c')] }),
    )
    const scored = (tolerations: readonly Toleration[]): ReturnType<typeof examineScore> =>
      examineScore(taintToleration, state, pod({ tolerations }), { ...input, feasible: ['none', 'one', 'two'] })
    expect(Object.fromEntries(scored([]).raw)).toEqual({ none: 0, one: 1, two: 2 })
    expect(Object.fromEntries(scored([]).normalized)).toEqual({ none: 100, one: 50, two: 0 })
    expect(Object.fromEntries(scored([{ key: 'gpu', operator: 'Exists' }]).raw)).toEqual({ none: 0, one: 0, two: 1 })
    const unrelated = [{ operator: 'Exists', effect: 'NoSchedule' }]
    expect(Object.fromEntries(scored(unrelated).raw)).toEqual({ none: 0, one: 1, two: 2 })
    expect(Object.fromEntries(scored([{ operator: 'Exists' }]).normalized)).toEqual({ none: 100, one: 100, two: 100 })
  })
})

describe('NodePorts', () => {
  const wanting = (hostPort: number, hostIP?: string, uid = 'p'): Pod =>
    pod(
      { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort, ...(hostIP !== undefined && { hostIP }) }] }] },
      uid,
    )
  const onNode = (made: Pod, name: string): Pod => ({ ...made, spec: { ...made.spec, nodeName: name } })

  test('keeps a pod off the node where its port is taken, until the port is given back', () => {
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
  test('a port that two pods of a node have is free when both are gone', () => {
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

  test('has nothing to say of a pod without host ports', () => {
    expect(examineFilter(nodePorts, stateOf(node('a')), wanting(0), input).preFilter).toEqual({ kind: 'skip' })
  })

  test('leaves a port to a nominated pod of higher priority', () => {
    const state = stateOf(node('a'))
    const nominated = wanting(80, undefined, 'nominated')
    state.nominate({ ...nominated, spec: { ...nominated.spec, priority: 1 } }, 'a')
    const framework = createFramework({ plugins: [{ plugin: nodePorts, weight: 0 }] })
    expect(decide(framework, state, wanting(80), input).feasible).toEqual([])
    expect(decide(framework, state, wanting(81), input).feasible).toEqual(['a'])
  })
})
