import { describe, expect, test } from 'vitest'
import { highestOf, indexesOf, pickIndex } from './highest.ts'

describe('the highest value', () => {
  test.for([
    { values: [], highest: -1, places: [] },
    { values: [0], highest: 0, places: [0] },
    { values: [3, 7, 7, 1, 7], highest: 7, places: [1, 2, 4] },
    { values: [5, 5, 5], highest: 5, places: [0, 1, 2] },
    { values: [9, 2, 9.5], highest: 9.5, places: [2] },
  ])('of $values is $highest', ({ values, highest, places }) => {
    const array = Float64Array.from(values)
    expect(highestOf(array)).toBe(highest)
    expect(indexesOf(array, highest)).toEqual(places)
  })

  test.for([
    { it: 'many are equal', length: 8, isHighest: (i: number) => i % 2 === 1 },
    { it: 'few are equal', length: 4000, isHighest: (i: number) => i === 17 || i === 18 || i === 3999 },
    { it: 'all are equal', length: 5, isHighest: () => true },
  ])('is picked at random, with equal probabilities, when $it', ({ length, isHighest }) => {
    const values = Float64Array.from({ length }, (_, i) => (isHighest(i) ? 2 : 1))
    const places = indexesOf(values, 2)
    const counts = new Map<number, number>(places.map((place) => [place, 0]))
    let seed = 1
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    const turns = 600 * places.length
    for (let turn = 0; turn < turns; turn++) {
      const picked = pickIndex(values, 2, random)
      counts.set(picked, (counts.get(picked) ?? 0) + 1)
    }
    expect(counts.size).toBe(places.length)
    // Six standard deviations.
    for (const count of counts.values()) expect(Math.abs(count - 600)).toBeLessThan(6 * Math.sqrt(600))
  })

  test('is picked also when the guesses never find it, and at the ends of the range of random', () => {
    expect([0, 0.5, 1].map((random) => pickIndex(Float64Array.of(1, 2, 1, 2), 2, () => random))).toEqual([1, 3, 3])
    expect(pickIndex(Float64Array.of(1, 1), 2, () => 0)).toBe(-1)
    expect(pickIndex(new Float64Array(0), -1, () => 0)).toBe(-1)
  })
})
