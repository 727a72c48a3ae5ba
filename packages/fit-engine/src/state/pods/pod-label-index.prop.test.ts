import type { Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PodLabelIndex } from './pod-label-index.ts'

const query = { matches: () => true, requiredLabel: undefined, includesTerminating: true }

function rowsOf(index: PodLabelIndex): readonly number[] {
  const rows: number[] = []
  index.visitRows(query, (row) => rows.push(row))
  return rows.toSorted((a, b) => a - b)
}

test('treats labels that are null as no labels', () => {
  const index = new PodLabelIndex()
  const bare = JSON.parse('{"metadata":{"labels":null,"deletionTimestamp":null},"spec":{"containers":[]}}') as Pod
  index.refresh([[bare], [{ metadata: { labels: { a: 'b' } }, spec: { containers: [] } }]], 1)
  expect(rowsOf(index)).toEqual([0, 1])
  const found: number[] = []
  index.visitRows({ ...query, matches: (_, { a }) => a === undefined, includesTerminating: false }, (row) =>
    found.push(row),
  )
  expect(found).toEqual([0])
})

test('throws on labels that cannot be read until their pod is removed', () => {
  const index = new PodLabelIndex()
  const fine: Pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [] } }
  const odd = JSON.parse('{"metadata":{"labels":{"a":{"toString":5}}},"spec":{"containers":[]}}') as Pod
  for (const _ of ['once', 'again']) expect(() => index.refresh([[fine], [fine, odd], [fine]], 1)).toThrow(TypeError)
  index.refresh([[fine], [fine], [fine]], 2)
  expect(rowsOf(index)).toEqual([0, 1, 2])
})

const KEYS = Array.from({ length: 10 }, (_, i) => `k${i}`)
const labels = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom('a', 'b'), { maxKeys: 3 })
const somePod: fc.Arbitrary<Pod> = fc
  .record({ labels, isTerminating: fc.boolean() })
  .map(({ labels, isTerminating }) => ({
    metadata: { namespace: 'default', labels, ...(isTerminating && { deletionTimestamp: 'now' }) },
    spec: { containers: [] },
  }))
const step = fc.record({
  row: fc.nat(2),
  pods: fc.array(somePod, { maxLength: 3 }),
  keeps: fc.boolean(),
  forks: fc.boolean(),
  key: fc.constantFrom(...KEYS),
  hasRequiredLabel: fc.boolean(),
  includesTerminating: fc.boolean(),
})

test('visits the same pods as a scan of all pods, after any additions, removals and forks', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      let index = new PodLabelIndex()
      const lists: (readonly Pod[])[] = [[], [], []]
      for (const [i, { row, pods, keeps, forks, key, hasRequiredLabel, includesTerminating }] of steps.entries()) {
        if (forks) {
          const origin = index
          index = index.copy()
          origin.refresh([pods], -2 - i)
        }
        lists[row] = keeps ? [...(lists[row] ?? []).slice(1), ...pods] : pods
        index.refresh(lists, i)
        const visited: number[] = []
        index.visitRows(
          {
            matches: (_namespace, candidate) => candidate[key] === 'a',
            requiredLabel: hasRequiredLabel ? [key, 'a'] : undefined,
            includesTerminating,
          },
          (at) => visited.push(at),
        )
        const expected = lists.flatMap((list, at) =>
          list
            .filter(({ metadata }) => metadata.labels?.[key] === 'a')
            .filter(({ metadata }) => includesTerminating || metadata.deletionTimestamp === undefined)
            .map(() => at),
        )
        expect(visited.toSorted((a, b) => a - b)).toEqual(expected)
      }
    }),
  )
})
