import { type Node, type Pod, type PodSpec, StatusCode, type Taint, type Toleration } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { examineFilter, examineScore } from '../../framework/examine.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { taintToleration } from './plugin.ts'

const input = { nowMs: 0, random: () => 0 }
const node = (name: string, spec: Node['spec'] = {}): Node => ({ metadata: { name }, spec })
const pod = (spec: Partial<PodSpec>): Pod => ({ metadata: { uid: 'p' }, spec: { containers: [], ...spec } })
const stateOf = (...nodes: readonly Node[]): ReturnType<typeof createClusterState> => {
  const state = createClusterState()
  for (const each of nodes) state.setNode(each)
  return state
}
const taint = (effect: string, key = 'gpu', value = 'old'): Taint => ({ key, value, effect })

describe('TaintToleration', () => {
  test.for([
    { it: 'no toleration', taints: [taint('NoSchedule')], tolerations: [], fits: false },
    { it: 'NoExecute', taints: [taint('NoExecute')], tolerations: [], fits: false },
    { it: 'PreferNoSchedule', taints: [taint('PreferNoSchedule')], tolerations: [], fits: true },
    { it: 'an unknown effect', taints: [taint('Sometimes')], tolerations: [], fits: true },
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
      it: 'an operator whose feature gate is off',
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
