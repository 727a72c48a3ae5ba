import {
  type Arbitrary,
  array,
  assert,
  constant,
  integer,
  nat,
  option,
  property,
  record,
  subarray,
  tuple,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyChange, changeBetween } from './model-changes.ts'
import type { UiAmounts, UiModel } from './ui-model.ts'

const amount = integer({ min: 0, max: 3 })
const amounts: Arbitrary<UiAmounts> = tuple(amount, amount, amount, amount)

/** Two models, often with the same nodes and resources. */
const models: Arbitrary<UiModel> = record({
  nodeCount: integer({ min: 1, max: 2 }),
  resourceCount: integer({ min: 1, max: 2 }),
}).chain(({ nodeCount, resourceCount }) =>
  record({
    timeMs: nat(),
    nodes: constant(Array.from({ length: nodeCount }, (_, i) => `node-${i}`)),
    resources: array(array(option(amounts), { minLength: nodeCount, maxLength: nodeCount }), {
      minLength: resourceCount,
      maxLength: resourceCount,
    }).map((lists) =>
      lists.map((cells, i) => {
        const sum = (key: number): number => cells.reduce((all, cell) => all + (cell?.[key] ?? 0), 0)
        const total: UiAmounts = [sum(0), sum(1), sum(2), sum(3)]
        return { name: `r-${i}`, total, largestBlock: Math.max(0, ...cells.map((cell) => cell?.[2] ?? 0)), cells }
      }),
    ),
    pendingCount: nat({ max: 1 }),
    notes: subarray(['incomplete']),
  }),
)

describe('changeBetween', () => {
  test('turns any model into any other, and is undefined only when they show the same', () => {
    assert(
      property(models, models, (before, after) => {
        const change = changeBetween(before, after) ?? { kind: 'model', model: { ...before, timeMs: after.timeMs } }
        expect(change.kind === 'model' ? change.model : applyChange(before, change)).toEqual(after)
      }),
    )
  })

  test('holds only the cells that changed', () => {
    const cell: UiAmounts = [4, 1, 3, 0]
    const model: UiModel = {
      timeMs: 0,
      nodes: ['a', 'b'],
      resources: [{ name: 'r', total: [8, 2, 6, 0], largestBlock: 3, cells: [cell, cell] }],
      pendingCount: 0,
      notes: [],
    }
    const next: UiAmounts = [4, 2, 2, 0]
    const resources = [{ name: 'r', total: [8, 3, 5, 0] as const, largestBlock: 3, cells: [cell, next] }]
    expect(changeBetween(model, { ...model, timeMs: 5, resources })).toEqual({
      kind: 'change',
      timeMs: 5,
      pendingCount: 0,
      notes: [],
      resources: [{ resource: 0, total: [8, 3, 5, 0], largestBlock: 3, cells: [[1, next]] }],
    })
  })
})
