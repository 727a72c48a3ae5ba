import { describe, expect, test } from 'vitest'
import type { NodePlan } from '../plan/plan-node.ts'
import { createWriteBackoff } from './write-backoff.ts'

describe('createWriteBackoff', () => {
  const plan = (units: string): NodePlan => ({
    nodeName: 'a',
    resourceVersion: '1',
    changes: [],
    conflicts: [],
    patch: { status: { capacity: { x: units }, allocatable: { x: units } } },
    owned: new Map(),
  })

  test('doubles the delay for each repeated write of the same values, up to one minute', () => {
    const backoff = createWriteBackoff()
    const delays: number[] = []
    let now = 0
    for (let write = 0; write < 10; write++) {
      const delay = backoff.delayMs(plan('4'), now)
      delays.push(delay)
      now += delay
      backoff.recordWrite(plan('4'), now)
    }
    expect(delays).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    expect(backoff.repeats('a')).toBe(10)
  })

  test('does not delay other values, or the same values after ten minutes', () => {
    const backoff = createWriteBackoff()
    for (let write = 0; write < 5; write++) backoff.recordWrite(plan('4'), write)
    expect(backoff.delayMs(plan('5'), 5)).toBe(0)
    expect(backoff.delayMs(plan('4'), 700_000)).toBe(0)
    backoff.recordWrite(plan('4'), 700_000)
    expect(backoff.repeats('a')).toBe(1)
    backoff.forget('a')
    expect(backoff.repeats('a')).toBe(0)
  })
})
