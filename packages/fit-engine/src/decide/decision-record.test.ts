import { expect, test, vi } from 'vitest'
import { framework, input, node, pod } from '../../test/builders.ts'
import { createClusterState, tableOf } from '../state/create-cluster-state.ts'
import { decide } from './decide.ts'

const DONGLE = 'example.com/dongle'

test('a released decision gives its arrays back and then refuses to read them', () => {
  const state = createClusterState()
  for (let i = 0; i < 3000; i++) state.setNode(node(`n${i}`, { [DONGLE]: i === 0 ? '0' : '1' }))
  const { scratch } = tableOf(state)
  const place = () => decide(framework, state, pod('p', { [DONGLE]: '1' }), { ...input, rejections: 'when-none-fits' })
  const [released, kept] = [place(), place()]
  const giveBack = vi.spyOn(scratch, 'giveBack')
  released.release()
  released.release()
  const returned = giveBack.mock.calls.map(([array]) => array)
  expect(returned).toEqual([expect.any(Int32Array), expect.any(Float64Array)])
  expect([scratch.takeInts(1), scratch.takeFloats(1)]).toEqual(returned)
  for (const name of ['feasible', 'totals', 'best', 'scores'] as const) {
    expect(() => released[name]).toThrow(TypeError)
  }
  expect(() => released.pickBest(() => 0)).toThrow('released decision')
  expect([released.feasibleCount, released.message, released.rejectionGroups]).toEqual([2999, '', []])
  expect([kept.best.length, kept.totals.size]).toEqual([2999, 2999])
})
