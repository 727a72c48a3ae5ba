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
    { it: 'starts with the surge', newSet: [0, 0], old: [[3, 3]], step: { newReplicas: 1, oldReplicas: [3] } },
    { it: 'waits for the new pod', newSet: [1, 0], old: [[3, 3]], step: { newReplicas: 1, oldReplicas: [3] } },
    {
      it: 'removes an old pod for an available new one',
      newSet: [1, 1],
      old: [[3, 3]],
      step: { newReplicas: 1, oldReplicas: [2] },
    },
    {
      it: 'continues when an old pod is gone',
      newSet: [1, 1],
      old: [[2, 2]],
      step: { newReplicas: 2, oldReplicas: [2] },
    },
    {
      it: 'keeps unavailable old pods while the new one is not available',
      newSet: [1, 0],
      old: [[3, 0]],
      step: { newReplicas: 1, oldReplicas: [3] },
    },
    {
      it: 'removes an unavailable old pod first',
      newSet: [1, 1],
      old: [[3, 1]],
      step: { newReplicas: 1, oldReplicas: [2] },
    },
    { it: 'ends without old pods', newSet: [3, 3], old: [[1, 1]], step: { newReplicas: 3, oldReplicas: [0] } },
    { it: 'scales down when fewer are desired', newSet: [5, 5], old: [], step: { newReplicas: 3, oldReplicas: [] } },
  ] as const)('$it', ({ newSet, old, step }) => {
    const set = ([replicas, available]: readonly [number, number]): { replicas: number; available: number } => ({
      replicas,
      available,
    })
    expect(rollingStep(3, bounds, set(newSet), old.map(set))).toEqual(step)
  })
})
