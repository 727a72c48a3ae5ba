import { describe, expect, test } from 'vitest'
import { MAX_POINTS, noChanges, type UiPoint } from '../../src/ui/model/ui-point.ts'
import type { UiModel } from '../../src/ui/model/ui-model.ts'
import { afterMessage, nothingKnown } from '../../src/ui/page/known.ts'
import { changesText, distanceText, shownIndex, steppedTime } from '../../src/ui/page/timeline/moments.ts'
import { podData, resourcesOf, shareData } from '../../src/ui/page/timeline/series.ts'

const model: UiModel = { timeMs: 1, nodes: ['a'], resources: [], pendingCount: 0, notes: [] }

function point(timeMs: number, more: Partial<UiPoint> = {}): UiPoint {
  return { timeMs, pendingCount: 0, counts: noChanges, examples: [], totals: [], ...more }
}

describe('the knowledge of a page', () => {
  const started = afterMessage(nothingKnown, { kind: 'start', feed: 'live', model, points: [point(1)] })

  test('begins with the model and the timeline, again after each reconnection', () => {
    expect(started).toEqual({ model, points: [point(1)], feed: 'live', problem: undefined })
    const lost = { ...started, problem: 'lost' }
    expect(afterMessage(lost, { kind: 'start', feed: 'live', model, points: [point(5)] })).toEqual({
      ...started,
      points: [point(5)],
    })
  })

  test('grows by the points of each change', () => {
    const change = { kind: 'change', timeMs: 2, pendingCount: 3, notes: [], resources: [] } as const
    const known = afterMessage(started, { ...change, points: [point(2), point(3)] })
    expect(known.model).toEqual({ ...model, timeMs: 2, pendingCount: 3 })
    expect(known.points).toEqual([point(1), point(2), point(3)])
    expect(afterMessage(nothingKnown, { ...change, points: [point(2)] })).toEqual(nothingKnown)
    const next = { ...model, nodes: ['a', 'b'] }
    expect(afterMessage(known, { kind: 'model', model: next, points: [] })).toEqual({ ...known, model: next })
  })

  test('stays bounded', () => {
    const many = Array.from({ length: 3 * MAX_POINTS }, (_, i) => point(2 + i))
    const known = afterMessage(started, { kind: 'model', model, points: many })
    expect(known.points.length).toBeLessThanOrEqual(MAX_POINTS)
    expect([known.points[0], known.points.at(-1)]).toEqual([point(1), many.at(-1)])
  })

  test('keeps what it shows while the cluster cannot be read', () => {
    const failed = afterMessage(started, { kind: 'failed', sentence: 'no route' })
    expect(failed).toEqual({ ...started, problem: 'The cluster cannot be read: no route. Trying again.' })
    expect(afterMessage(failed, { kind: 'beat' })).toBe(failed)
    expect(afterMessage(failed, { kind: 'recovered' })).toEqual(started)
  })
})

describe('a step along the timeline', () => {
  const points = [point(10), point(20), point(30)]

  test.for<readonly [atMs: number | undefined, steps: number, time: number | undefined]>([
    [undefined, -1, 20],
    [20, -1, 10],
    [10, -1, 10],
    [10, 1, 20],
    // The last point is the end, which follows what arrives.
    [20, 1, undefined],
    [undefined, 1, undefined],
    // A point between was merged into the later one.
    [25, -1, 10],
  ])('from %s by %s leads to %s', ([atMs, steps, time]) => {
    expect(steppedTime(points, atMs, steps)).toBe(time)
  })

  test('shows the last point that is not later', () => {
    expect([undefined, 5, 10, 19, 20, 99].map((atMs) => shownIndex(points, atMs))).toEqual([2, 0, 0, 0, 1, 2])
    expect(steppedTime([], undefined, -1)).toBeUndefined()
  })

  test('says how far it is from the end', () => {
    expect(distanceText([point(0), point(192_000)], 0)).toBe('3m12s before the last change')
    expect(distanceText(points, undefined)).toBe('')
  })
})

test('a point says what changed, by kind, and how much more', () => {
  const counts = { ...noChanges, arrived: 6, nodeGone: 1 }
  const examples = [
    ['arrived', 'default/a'],
    ['nodeGone', 'node-1'],
    ['arrived', 'default/b'],
  ] as const
  expect(changesText(point(0, { counts, examples }))).toBe(
    'arrived: default/a, default/b; node gone: node-1; and 4 more',
  )
  expect(changesText(point(0))).toBe('')
})

describe('the lines of the charts', () => {
  const points = [
    point(1_000, { totals: [['cpu', 500, 2_000]], pendingCount: 2 }),
    point(2_000, {
      totals: [
        ['cpu', 3_000, 2_000],
        ['example.com/dongle', 0, 0],
      ],
      counts: { ...noChanges, placed: 1 },
    }),
  ]

  test('are the requested shares, with gaps where nothing is allocatable', () => {
    expect(resourcesOf(points, '')).toEqual(['cpu', 'example.com/dongle'])
    expect(resourcesOf(points, ' DONGLE')).toEqual(['example.com/dongle'])
    expect(shareData(points, resourcesOf(points, ''))).toEqual({
      times: [1, 2],
      series: [
        { name: 'cpu', values: [25, 150] },
        { name: 'example.com/dongle', values: [null, null] },
      ],
    })
  })

  test('are the pending pods and the changes of pods', () => {
    expect(podData(points).series).toEqual([
      { name: 'pending', values: [2, 0] },
      { name: 'arrived', values: [0, 0] },
      { name: 'placed', values: [0, 1] },
      { name: 'ended', values: [0, 0] },
    ])
  })
})
