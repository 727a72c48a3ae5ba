import { expect, test } from 'vitest'
import type { Measurement } from '../measurement.ts'
import { withGoal } from './goals.ts'

const measured: Measurement = {
  bench: 'scheduler',
  case: 'x',
  unit: 'us',
  median: 200,
  min: 1,
  max: 300,
  samples: 3,
  ratio: 2.9,
}

test.for([
  { it: 'a ratio that is too low', goal: { ratioAtLeast: 3 }, text: 'ratio >= 3', isMet: false },
  { it: 'a ratio that is high enough', goal: { ratioAtLeast: 2.9 }, text: 'ratio >= 2.9', isMet: true },
  { it: 'a median that is low enough', goal: { medianAtMost: 200 }, text: 'median <= 200', isMet: true },
  { it: 'a median that is too high', goal: { medianAtMost: 199 }, text: 'median <= 199', isMet: false },
])('withGoal judges $it', ({ goal, text, isMet }) => {
  expect(withGoal(measured, goal)).toEqual({ ...measured, goal: text, isGoalMet: isMet })
})

test('withGoal changes nothing without a goal', () => {
  expect(withGoal(measured, undefined)).toBe(measured)
})
