import { describe, expect, test } from 'vitest'
import type { Change, NodePlan } from '../plan/node-plan.ts'
import { createWritePacing } from './write-pacing.ts'

const set = (resourceName: string, units: bigint): Change => ({
  kind: 'set',
  resourceName,
  observed: { capacity: undefined, allocatable: undefined },
  units,
  isDrift: true,
})
const plan = (...changes: readonly Change[]): NodePlan => ({
  nodeName: 'a',
  resourceVersion: '1',
  changes,
  lowered: new Map(),
  conflicts: [],
  pending: [],
  delayed: [],
  owner: undefined,
  takesOver: false,
  patch: undefined,
  owned: new Map(),
})

describe('createWritePacing', () => {
  test('doubles the delay for each repeated write of one value, up to one minute', () => {
    const pacing = createWritePacing()
    const delays: number[] = []
    let now = 0
    let repeats: number | undefined
    for (let write = 0; write < 10; write++) {
      const delay = pacing.changeDelayMs('a', set('x', 4n), now)
      delays.push(delay)
      now += delay
      repeats = pacing.recordWrite(plan(set('x', 4n)), now).get('x')
    }
    expect(delays).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    expect(repeats).toBe(10)
  })

  test('delays each of two names that are undone in turn', () => {
    const pacing = createWritePacing()
    for (let round = 0; round < 3; round++) {
      for (const name of ['x', 'y']) pacing.recordWrite(plan(set(name, 4n)), round)
    }
    expect(['x', 'y', 'z'].map((name) => pacing.changeDelayMs('a', set(name, 4n), 3) > 0)).toEqual([true, true, false])
  })

  test('does not delay other values, or the same value after ten minutes', () => {
    const pacing = createWritePacing()
    for (let write = 0; write < 5; write++) pacing.recordWrite(plan(set('x', 4n)), write)
    expect(pacing.changeDelayMs('a', set('x', 5n), 5)).toBe(0)
    expect(pacing.changeDelayMs('a', set('x', 4n), 700_000)).toBe(0)
    expect(pacing.recordWrite(plan(set('x', 4n)), 700_000).get('x')).toBe(1)
  })

  test('delays repeated writes of the ownership alone, until the node is deleted', () => {
    const pacing = createWritePacing()
    for (let write = 0; write < 5; write++) pacing.recordWrite(plan(), write)
    expect(pacing.recordDelayMs('a', 5)).toBeGreaterThan(0)
    pacing.forget('a')
    expect(pacing.recordDelayMs('a', 5)).toBe(0)
  })
})
