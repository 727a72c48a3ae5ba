import { expect, test } from 'vitest'
import { repeatCommand, splitSeeds } from './seed-range.ts'

test('gives each process 20 seeds at most', () => {
  expect(splitSeeds({ from: 101, seeds: 50 }, 1)).toEqual([
    { from: 101, seeds: 20 },
    { from: 121, seeds: 20 },
    { from: 141, seeds: 10 },
  ])
})

test('gives each job a range when there are few seeds', () => {
  expect(splitSeeds({ from: 1, seeds: 5 }, 2)).toEqual([
    { from: 1, seeds: 3 },
    { from: 4, seeds: 2 },
  ])
  expect(splitSeeds({ from: 9, seeds: 1 }, 8)).toEqual([{ from: 9, seeds: 1 }])
})

test('puts every seed into one range, for any number of seeds and jobs', () => {
  for (let seeds = 1; seeds <= 90; seeds++) {
    for (let jobs = 1; jobs <= 9; jobs++) {
      const ranges = splitSeeds({ from: 7, seeds }, jobs)
      const split = ranges.flatMap((range) => Array.from({ length: range.seeds }, (_, i) => range.from + i))
      expect(split).toEqual(Array.from({ length: seeds }, (_, i) => 7 + i))
    }
  }
})

test('names the planted bug in the command that repeats seeds', () => {
  expect(repeatCommand({ from: 17, seeds: 1 })).toBe('npm run faults -- --from 17 --seeds 1')
  expect(repeatCommand({ from: 3, seeds: 2 }, 'no-assume')).toBe(
    'npm run faults -- --from 3 --seeds 2 --mutant no-assume',
  )
})
