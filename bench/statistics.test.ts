import { describe, expect, test } from 'vitest'
import { p99, rounded, summarize } from './statistics.ts'

describe('summarize', () => {
  test.for([
    { it: 'returns the middle of an odd number of samples', samples: [5, 1, 3], median: 3, min: 1, max: 5 },
    {
      it: 'returns the mean of the two middle samples of an even number',
      samples: [4, 1, 2, 9],
      median: 3,
      min: 1,
      max: 9,
    },
    { it: 'returns a single sample unchanged', samples: [7], median: 7, min: 7, max: 7 },
    { it: 'sorts numerically', samples: [10, 9, 100], median: 10, min: 9, max: 100 },
  ])('$it', ({ samples, median, min, max }) => {
    expect(summarize(samples)).toEqual({ median, min, max, samples: samples.length })
  })

  test.for([
    { it: 'refuses an empty list', samples: [] },
    { it: 'refuses NaN', samples: [1, Number.NaN] },
    { it: 'refuses infinity', samples: [1, Number.POSITIVE_INFINITY] },
  ])('$it', ({ samples }) => {
    expect(() => summarize(samples)).toThrow(RangeError)
  })

  test('keeps four significant digits', () => {
    expect([rounded(123_456), rounded(0.001_234_56), rounded(12.34)]).toEqual([123_500, 0.001_235, 12.34])
  })
})

test.for([
  { it: 'the 99th of 100 samples in any order', samples: Array.from({ length: 100 }, (_, i) => 100 - i), expected: 99 },
  { it: 'the largest of fewer samples', samples: [3, 1, 2], expected: 3 },
  { it: 'NaN without samples', samples: [], expected: Number.NaN },
])('p99 returns $it', ({ samples, expected }) => {
  expect(p99(samples)).toBe(expected)
})
