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

test('pods of shapes that were asked for before get the answers of a state that remembers nothing', () => {
  fc.assert(
    fc.property(
      fc.array(amounts, { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(change, { maxLength: 4 }), { minLength: 2, maxLength: 12 }),
      (shapes, rounds) => {
        const state = createClusterState()
        for (const changes of rounds) {
          for (const apply of changes) apply(state)
          for (const profile of [framework, most]) {
            for (const asks of shapes) {
              const remembered = decide(profile, state, pod('candidate', asks), input)
              const fresh = decide(profile, state.fork(), pod('candidate', asks), input)
              expect([remembered.totals, remembered.rejected, remembered.message]).toEqual([
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

/** A question that notes which rows it is asked about; the answer is the row. */
function recorder() {
  const log = new ChangeLog()
  const answers = new RowValueCache(log, new Scratch())
  const asked: (readonly number[])[] = []
  const owner = {}
  const find = (shape = 's', rowCount = FIRST_ROWS, count = rowCount): Float64Array | undefined =>
    answers.lookup(
      owner,
      () => shape,
      rowCount,
      { rows: new Int32Array(count), count },
      ({ rows }, values) => {
        asked.push([...rows])
        rows.forEach((row, i) => (values[i] = row))
      },
    )
  return { log, find, asked }
}

test('a shape is remembered from the second question on, and then only rows that changed are asked about', () => {
  const { log, find, asked } = recorder()
  expect(find()).toBeUndefined()
  expect(find()?.[42]).toBe(42)
  for (const row of [7, 9, 7]) log.record(row)
  expect(find()?.[9]).toBe(9)
  find()
  expect(asked.map((rows) => rows.length)).toEqual([FIRST_ROWS, 2])
})

test('everything is asked again when more changed than the log holds, and when rows are added', () => {
  const { log, find, asked } = recorder()
  find()
  find()
  for (let i = 0; i < 5000; i++) log.record(i % 3)
  find()
  expect(find('s', FIRST_ROWS + 1)?.length).toBe(FIRST_ROWS + 1)
  expect(asked.map((rows) => rows.length)).toEqual([FIRST_ROWS, FIRST_ROWS, FIRST_ROWS + 1])
})

test('few candidates are not worth remembering, and shapes are forgotten when many others come', () => {
  const { find, asked } = recorder()
  expect([find('few', FIRST_ROWS, 3), find('few', FIRST_ROWS, 3)]).toEqual([undefined, undefined])
  for (let i = 0; i < 10; i++) {
    find(`s${i}`)
    find(`s${i}`)
  }
  find('s9')
  expect(asked.length).toBe(10)
  expect(find('s0')).toBeUndefined()
})
