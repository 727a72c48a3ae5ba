import { array, assert, constantFrom, dictionary, integer, option, property, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClusterStep, NodeRow } from './cluster-step.ts'
import { createHistory } from './history.ts'
import { noChanges } from './ui-point.ts'

const row = dictionary(constantFrom('cpu', 'example.com/dongle'), integer({ min: 0, max: 3 })).map(
  (amounts): NodeRow => new Map(Object.entries(amounts).map(([name, used]) => [name, [4, used, 4 - used, 0]])),
)
const steps = array(array(tuple(constantFrom('a', 'b', 'c'), option(row, { nil: undefined })), { maxLength: 3 }), {
  minLength: 1,
  maxLength: 30,
}).map((lists) =>
  lists.map((rows, timeMs): ClusterStep => ({
    timeMs,
    rows: new Map(rows),
    pendingCount: timeMs,
    counts: noChanges,
    examples: [],
  })),
)

/** The states after each step. */
function states(all: readonly ClusterStep[]): readonly ReadonlyMap<string, NodeRow>[] {
  let rows: ReadonlyMap<string, NodeRow> = new Map()
  return all.map((step) => {
    const changed = [...new Map([...rows, ...step.rows])]
    rows = new Map(changed.flatMap(([node, one]) => (one === undefined ? [] : [[node, one]])))
    return rows
  })
}

describe('a history', () => {
  test('returns the state at every time that it kept, and the last state, whatever it merged or dropped', () => {
    assert(
      property(steps, integer({ min: 4, max: 12 }), integer({ min: 1, max: 20 }), (all, maxPoints, maxRows) => {
        const history = createHistory({ maxPoints, maxRows })
        all.forEach((step) => history.add(step))
        const expected = states(all)
        for (const { timeMs } of history.after(0).points)
          expect(history.at(timeMs)).toEqual({ timeMs, pendingCount: timeMs, rows: expected[timeMs] })
        expect(history.latest()?.rows).toEqual(expected.at(-1))
        expect(history.at(Infinity)).toEqual(history.latest())
        expect(history.after(0).points.length).toBeLessThanOrEqual(maxPoints)
      }),
    )
  })

  test('is bounded by its changed rows, except for the last point', () => {
    const history = createHistory({ maxPoints: 1_000, maxRows: 10 })
    for (let timeMs = 0; timeMs < 100; timeMs++)
      history.add({
        timeMs,
        rows: new Map([1, 2, 3].map((node) => [`node-${node}`, new Map([['cpu', [4, timeMs, 4, 0]]])])),
        pendingCount: 0,
        counts: noChanges,
        examples: [],
      })
    const { points, sequence } = history.after(0)
    expect(sequence).toBe(100)
    expect(points.map(({ timeMs }) => timeMs)).toEqual([96, 97, 98, 99])
    expect(history.at(0)?.rows.get('node-1')?.get('cpu')).toEqual([4, 96, 4, 0])
    expect(history.after(99).points).toHaveLength(1)
  })

  test('is empty before the first step', () => {
    const history = createHistory()
    expect([history.latest(), history.at(0), history.after(0)]).toEqual([
      undefined,
      undefined,
      { points: [], sequence: 0 },
    ])
  })
})
