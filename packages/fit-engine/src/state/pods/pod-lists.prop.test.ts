import type { Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PodLists } from './pod-lists.ts'

const ROWS = 4
const pods: readonly Pod[] = Array.from({ length: 6 }, (_, i) => ({
  metadata: { name: `p${i}` },
  spec: { containers: [] },
}))
const step = fc.record({
  kind: fc.constantFrom('add', 'remove', 'read', 'read all', 'replace', 'copy'),
  row: fc.nat(ROWS - 1),
  pod: fc.constantFrom(...pods),
})

test('lists and their copies equal plain arrays, and a list that was read never changes', () => {
  let read = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pairs: [PodLists, Pod[][]][] = [[new PodLists(), Array.from({ length: ROWS }, () => [])]]
      const seen: [readonly Pod[], readonly Pod[]][] = []
      for (const [i, { kind, row, pod }] of steps.entries()) {
        const pair = pairs[i % pairs.length]
        if (pair === undefined) continue
        const [lists, plain] = pair
        const before = lists.changes
        const here = (plain[row] ??= [])
        if (kind === 'add') {
          if (here.includes(pod)) continue
          lists.add(row, pod)
          here.push(pod)
        } else if (kind === 'remove') {
          lists.remove(row, pod)
          here.splice(here.indexOf(pod), Number(here.includes(pod)))
        } else if (kind === 'replace') {
          lists.replace(row, [pod])
          plain[row] = [pod]
        } else if (kind === 'copy') pairs.push([lists.copy(), plain.map((list) => [...list])])
        else {
          const list = kind === 'read' ? lists.podsOn(row) : (lists.byRow()[row] ?? [])
          seen.push([list, [...list]])
          read += 1
        }
        const isChange = kind === 'add' || kind === 'remove' || kind === 'replace'
        expect(lists.changes > before).toBe(isChange)
        expect(lists.isEmpty(row)).toBe((plain[row] ?? []).length === 0)
      }
      for (const [lists, plain] of pairs) {
        for (const [row, list] of plain.entries()) expect(lists.podsOn(row)).toEqual(list)
      }
      for (const [list, asRead] of seen) expect(list).toEqual(asRead)
    }),
    { numRuns: 300 },
  )
  expect(read).toBeGreaterThan(300)
})

test('pods can be removed from anywhere in a long list and added again', () => {
  const lists = new PodLists()
  const many: Pod[] = Array.from({ length: 1000 }, (_, i) => ({
    metadata: { name: `m${i}` },
    spec: { containers: [] },
  }))
  for (const pod of many) lists.add(0, pod)
  for (const pod of many.filter((_, i) => i % 3 === 0)) lists.remove(0, pod)
  const again = many.slice(0, 4)
  for (const pod of again) if (many.indexOf(pod) % 3 === 0) lists.add(0, pod)
  const rest = many.filter((_, i) => i % 3 !== 0)
  expect(lists.podsOn(0)).toEqual([...rest, many[0], many[3]])
  for (const pod of lists.podsOn(0)) lists.remove(0, pod)
  expect([lists.isEmpty(0), lists.podsOn(0)]).toEqual([true, []])
})

test('all readers get the same array, and adding thousands of pods does not copy it each time', () => {
  const lists = new PodLists()
  for (let i = 0; i < 50_000; i++) lists.add(0, pods[i % pods.length] ?? { metadata: {}, spec: { containers: [] } })
  expect(lists.podsOn(0)).toBe(lists.podsOn(0))
  expect(lists.podsOn(0).length).toBe(50_000)
  expect(lists.copy().podsOn(0)).toBe(lists.podsOn(0))
})
