import { expect, test } from 'vitest'
import { jitter } from './jitter.ts'

test.for([
  { share: 0.25, random: 0, ms: 750 },
  { share: 0.25, random: 0.5, ms: 1_000 },
  { share: 0.25, random: 0.999, ms: 1_249.5 },
  { share: 0.2, random: 0, ms: 800 },
  { share: 0, random: 0.3, ms: 1_000 },
])('changes 1000 ms by a share of $share with $random to $ms ms', ({ share, random, ms }) => {
  expect(jitter(1_000, share, () => random)).toBeCloseTo(ms)
})
