import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../../../test/builders.ts'
import { createClusterState } from '../create-cluster-state.ts'
import { decide } from '../../decide/decide.ts'
import type { ClusterState } from '../../index.ts'
import { createFramework } from '../../framework/framework.ts'
import { nodeResourcesFit } from '../../plugins/node-resources-fit/plugin.ts'
import { ChangeLog } from './change-log.ts'
import { RowValueCache } from './row-value-cache.ts'
import { Scratch } from './scratch.ts'

const NAMES = ['cpu', 'memory', 'pods', 'example.com/a', 'example.com/b'] as const
const amounts = fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom('0', '1', '3', '8', '9007199254740993'))

const change: fc.Arbitrary<(state: ClusterState) => void> = fc.oneof(
  fc.tuple(fc.nat(5), amounts).map(
    ([i, offer]) =>
      (state: ClusterState) =>
        state.setNode(node(`n${i}`, offer)),
  ),
  fc.nat(5).map((i) => (state: ClusterState) => state.deleteNode(`n${i}`)),
  fc.tuple(fc.nat(9), fc.nat(5), amounts).map(
    ([p, i, holds]) =>
      (state: ClusterState) =>
        state.setPod(boundPod(`p${p}`, `n${i}`, holds)),
  ),
  fc.nat(9).map((p) => (state: ClusterState) => state.deletePod(pod(`p${p}`))),
)

const most = createFramework({
  plugins: [{ plugin: nodeResourcesFit({ scoringStrategy: { type: 'MostAllocated' } }), weight: 1 }],
})

test('decisions with cached values equal decisions without a cache', () => {
  fc.assert(
    fc.property(
      fc.array(amounts, { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(change, { maxLength: 4 }), { minLength: 2, maxLength: 12 }),
      (shapes, rounds) => {
        const state = createClusterState()
        for (const changes of rounds) {
          for (const apply of changes) apply(state)
          for (const profile of [framework, most]) {
            for (const requests of shapes) {
              const cached = decide(profile, state, pod('candidate', requests), input)
              const fresh = decide(profile, state.fork(), pod('candidate', requests), input)
              expect([cached.totals, cached.rejected, cached.message]).toEqual([
                fresh.totals,
                fresh.rejected,
                fresh.message,
              ])
            }
          }
        }
      },
    ),
    { numRuns: 150 },
  )
})

const FIRST_ROWS = 100

/** A cache whose compute function records the rows it computes; the value is the row number. */
function recordingCache() {
  const log = new ChangeLog()
  const cache = new RowValueCache(log, new Scratch())
  const computed: (readonly number[])[] = []
  const owner = {}
  const find = (shape = 's', rowCount = FIRST_ROWS, count = rowCount): Float64Array | undefined =>
    cache.lookup(
      owner,
      () => shape,
      rowCount,
      { rows: new Int32Array(count), count },
      ({ rows }, values) => {
        computed.push([...rows])
        rows.forEach((row, i) => (values[i] = row))
      },
    )
  return { log, find, computed }
}

test('caches a shape from its second lookup on, and then computes only the rows that changed', () => {
  const { log, find, computed } = recordingCache()
  expect(find()).toBeUndefined()
  expect(find()?.[42]).toBe(42)
  for (const row of [7, 9, 7]) log.record(row)
  expect(find()?.[9]).toBe(9)
  find()
  expect(computed.map((rows) => rows.length)).toEqual([FIRST_ROWS, 2])
})

test('computes every row again when more changed than the log holds, and when rows are added', () => {
  const { log, find, computed } = recordingCache()
  find()
  find()
  for (let i = 0; i < 5000; i++) log.record(i % 3)
  find()
  expect(find('s', FIRST_ROWS + 1)?.length).toBe(FIRST_ROWS + 1)
  expect(computed.map((rows) => rows.length)).toEqual([FIRST_ROWS, FIRST_ROWS, FIRST_ROWS + 1])
})

test('does not cache for few candidates, and evicts a shape after many others', () => {
  const { find, computed } = recordingCache()
  expect([find('few', FIRST_ROWS, 3), find('few', FIRST_ROWS, 3)]).toEqual([undefined, undefined])
  for (let i = 0; i < 10; i++) {
    find(`s${i}`)
    find(`s${i}`)
  }
  find('s9')
  expect(computed.length).toBe(10)
  expect(find('s0')).toBeUndefined()
})
