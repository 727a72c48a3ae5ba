import { expect, test } from 'vitest'
import { randomHistory } from './random-history.ts'

const histories = Array.from({ length: 200 }, (_, seed) => randomHistory(seed))

test('returns the same history for the same seed, and others for other seeds', () => {
  expect(randomHistory(7)).toEqual(randomHistory(7))
  expect(new Set(histories.map((history) => JSON.stringify(history.steps))).size).toBe(histories.length)
})

test('changes one thing per step after the first, or creates pods with the highest priority first', () => {
  const values = new Map([
    ['low', -10],
    ['medium', 100],
    ['polite', 500],
    ['high', 1000],
  ])
  for (const { steps } of histories) {
    for (const step of steps.slice(1)) {
      const pods = step.flatMap((change) => (change.verb === 'create' && change.in === 'pods' ? [change.object] : []))
      const priorities = pods.map(({ spec }) => {
        const { priorityClassName } = spec as { readonly priorityClassName?: string }
        return values.get(priorityClassName ?? '') ?? 0
      })
      expect(priorities).toEqual(priorities.toSorted((a, b) => b - a))
      // A disruption budget is created with its status.
      const isBudget = step.some((change) => change.in === 'poddisruptionbudgets')
      expect(step.length - Math.max(0, pods.length - 1)).toBe(isBudget ? 2 : 1)
    }
  }
})

test('contains every kind of change', () => {
  const kinds = new Set(histories.flatMap(({ steps }) => steps.flat().map((change) => `${change.verb} ${change.in}`)))
  expect([...kinds].toSorted()).toEqual([
    'create nodes',
    'create poddisruptionbudgets',
    'create pods',
    'delete nodes',
    'delete pods',
    'patch nodes',
    'patch poddisruptionbudgets',
    'patch pods',
  ])
})
