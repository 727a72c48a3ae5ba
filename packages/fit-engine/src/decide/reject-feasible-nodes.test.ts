import { StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { framework, input, node, pod } from '../../test/builders.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from './decide.ts'
import { rejectFeasibleNodes } from './reject-feasible-nodes.ts'

const DONGLE = 'example.com/dongle'
const refused = {
  code: StatusCode.UnschedulableAndUnresolvable,
  rejection: { plugin: 'Extender', reasons: ['no license'] },
}

describe('rejectFeasibleNodes', () => {
  test('rejects every feasible node and counts its reasons together with those of the plugins', () => {
    const state = createClusterState()
    for (const [name, units] of Object.entries({ a: '1', b: '1', c: '0' })) {
      state.setNode(node(name, units === '0' ? {} : { [DONGLE]: units }))
    }
    const decision = rejectFeasibleNodes(
      decide(framework, state, pod('p', { [DONGLE]: '1' }), input),
      () => refused,
      framework,
    )
    expect(decision.feasible).toEqual([])
    expect(decision.pickBest(() => 0)).toBeUndefined()
    expect([...decision.rejected.keys()].toSorted()).toEqual(['a', 'b', 'c'])
    expect(decision.rejected.get('a')).toEqual(refused)
    expect(decision.message).toBe(`0/3 nodes are available: 1 Insufficient ${DONGLE}, 2 no license.`)
  })

  test('returns a decision without a feasible node unchanged', () => {
    const decision = decide(framework, createClusterState(), pod('p'), input)
    expect(rejectFeasibleNodes(decision, () => refused, framework)).toBe(decision)
  })
})
