import { describe, expect, test } from 'vitest'
import { rollingStep, rolloutBounds } from './rollout.ts'

describe('rolloutBounds', () => {
  test.for([
    { surge: '25%', unavailable: '25%', desired: 3, expected: { maxSurge: 1, maxUnavailable: 0 } },
    { surge: 0, unavailable: 0, desired: 3, expected: { maxSurge: 0, maxUnavailable: 1 } },
    { surge: 2, unavailable: 1, desired: 10, expected: { maxSurge: 2, maxUnavailable: 1 } },
    { surge: 'many', unavailable: '10%', desired: 10, expected: { maxSurge: 0, maxUnavailable: 1 } },
  ])('$surge and $unavailable of $desired', ({ surge, unavailable, desired, expected }) => {
    expect(rolloutBounds(surge, unavailable, desired)).toEqual(expected)
  })
})

describe('rollingStep', () => {
  const bounds = { maxSurge: 1, maxUnavailable: 0 }
  test.for([
    { it: 'starts with the surge', fresh: [0, 0], old: [[3, 3]], step: { fresh: 1, old: [3] } },
    { it: 'waits for the new pod', fresh: [1, 0], old: [[3, 3]], step: { fresh: 1, old: [3] } },
    { it: 'removes an old pod for an available new one', fresh: [1, 1], old: [[3, 3]], step: { fresh: 1, old: [2] } },
    { it: 'continues when an old pod is gone', fresh: [1, 1], old: [[2, 2]], step: { fresh: 2, old: [2] } },
    {
      it: 'keeps unavailable old pods while the new one is not available',
      fresh: [1, 0],
      old: [[3, 0]],
      step: { fresh: 1, old: [3] },
    },
    { it: 'removes an unavailable old pod first', fresh: [1, 1], old: [[3, 1]], step: { fresh: 1, old: [2] } },
    { it: 'ends without old pods', fresh: [3, 3], old: [[1, 1]], step: { fresh: 3, old: [0] } },
    { it: 'scales down when fewer are desired', fresh: [5, 5], old: [], step: { fresh: 3, old: [] } },
  ] as const)('$it', ({ fresh, old, step }) => {
    const set = ([wanted, available]: readonly [number, number]): { wanted: number; available: number } => ({
      wanted,
      available,
    })
    expect(rollingStep(3, bounds, set(fresh), old.map(set))).toEqual(step)
  })
})
