import type { Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PodLabelIndex } from './pod-label-index.ts'

const query = { matches: () => true, requiredLabel: undefined, includesTerminating: true }

function rowsOf(peers: PodLabelIndex): readonly number[] {
  const rows: number[] = []
  peers.visitRows(query, (row) => rows.push(row))
  return rows.toSorted((a, b) => a - b)
}

test('pods whose labels are null are pods without labels', () => {
  const peers = new PodLabelIndex()
  const bare = JSON.parse('{"metadata":{"labels":null,"deletionTimestamp":null},"spec":{"containers":[]}}') as Pod
  peers.refresh([[bare], [{ metadata: { labels: { a: 'b' } }, spec: { containers: [] } }]], 1)
  expect(rowsOf(peers)).toEqual([0, 1])
  const found: number[] = []
  peers.visitRows({ ...query, matches: (_, { a }) => a === undefined, includesTerminating: false }, (row) =>
    found.push(row),
  )
  expect(found).toEqual([0])
})

test('labels that cannot be read break every look, until they are gone', () => {
  const peers = new PodLabelIndex()
  const fine: Pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [] } }
  const odd = JSON.parse('{"metadata":{"labels":{"a":{"toString":5}}},"spec":{"containers":[]}}') as Pod
  for (const _ of ['once', 'again']) expect(() => peers.refresh([[fine], [fine, odd], [fine]], 1)).toThrow(TypeError)
  peers.refresh([[fine], [fine], [fine]], 2)
  expect(rowsOf(peers)).toEqual([0, 1, 2])
})

const KEYS = Array.from({ length: 10 }, (_, i) => `k${i}`)
const labels = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom('a', 'b'), { maxKeys: 3 })
const somePod: fc.Arbitrary<Pod> = fc.record({ labels, isEnding: fc.boolean() }).map(({ labels, isEnding }) => ({
  metadata: { namespace: 'default', labels, ...(isEnding && { deletionTimestamp: 'now' }) },
  spec: { containers: [] },
}))
const step = fc.record({
  row: fc.nat(2),
  pods: fc.array(somePod, { maxLength: 3 }),
  keeps: fc.boolean(),
  forks: fc.boolean(),
  key: fc.constantFrom(...KEYS),
  isAnchored: fc.boolean(),
  withTerminating: fc.boolean(),
})

test('visits the pods that a look at each of them selects, whatever came, left or was forked', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      let peers = new PodLabelIndex()
      const lists: (readonly Pod[])[] = [[], [], []]
      for (const [i, { row, pods, keeps, forks, key, isAnchored, withTerminating }] of steps.entries()) {
        if (forks) {
          const origin = peers
          peers = peers.copy()
          origin.refresh([pods], -2 - i)
        }
        lists[row] = keeps ? [...(lists[row] ?? []).slice(1), ...pods] : pods
        peers.refresh(lists, i)
        const visited: number[] = []
        peers.visitRows(
          {
            matches: (_namespace, candidate) => candidate[key] === 'a',
            requiredLabel: isAnchored ? [key, 'a'] : undefined,
            includesTerminating: withTerminating,
          },
          (at) => visited.push(at),
        )
        const expected = lists.flatMap((list, at) =>
          list
            .filter(({ metadata }) => metadata.labels?.[key] === 'a')
            .filter(({ metadata }) => withTerminating || metadata.deletionTimestamp === undefined)
            .map(() => at),
        )
        expect(visited.toSorted((a, b) => a - b)).toEqual(expected)
      }
    }),
  )
})
