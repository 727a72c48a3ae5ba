import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { DomainCounts } from './domain-counts.ts'

test('the minimum is correct after any changes, also below zero', () => {
  const DOMAINS = 5
  const domain = fc.nat(DOMAINS - 1)
  fc.assert(
    fc.property(
      fc.uniqueArray(domain, { minLength: 1 }),
      fc.array(domain),
      fc.array(fc.tuple(domain, fc.constantFrom<1 | -1>(1, -1))),
      (included, pods, changes) => {
        const counts = new DomainCounts(DOMAINS)
        const naive = new Map(included.map((each) => [each, 0]))
        const move = (each: number, delta: number) => naive.set(each, (naive.get(each) ?? 0) + delta)
        for (const each of included) counts.addDomain(each)
        for (const each of pods.filter((each) => naive.has(each))) {
          counts.addPod(each)
          move(each, 1)
        }
        expect(counts.minimum).toBe(Math.min(...naive.values()))
        for (const [each, delta] of changes.filter(([each]) => naive.has(each))) {
          counts.change(each, delta)
          move(each, delta)
          expect(counts.minimum).toBe(Math.min(...naive.values()))
        }
        expect(counts.size).toBe(included.length)
        for (const [each, count] of naive) expect(counts.of(each)).toBe(count)
      },
    ),
  )
})

test('without domains the minimum is the largest number', () => {
  expect(new DomainCounts(3).minimum).toBe(2147483647)
})
