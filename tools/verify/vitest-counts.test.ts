import { describe, expect, test } from 'vitest'
import { readVitestCounts, sumCounts, vitestCounts } from './vitest-counts.ts'

describe('vitestCounts', () => {
  test('adds files that did not load to the failures, and counts what was skipped', () => {
    const counts = vitestCounts({
      numPassedTests: 7,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [
        { status: 'failed', assertionResults: [] },
        { status: 'failed', assertionResults: [{}] },
        { status: 'passed', assertionResults: [{}] },
      ],
    })
    expect(counts).toEqual({ passed: 7, failed: 2, skipped: 3 })
  })

  test('a missing report counts nothing', () => {
    expect(readVitestCounts('/nonexistent/report.json')).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})

describe('sumCounts', () => {
  test('adds each count', () => {
    const counts = { passed: 7, failed: 1, skipped: 2 }
    expect(sumCounts([counts, { passed: 10, failed: 20, skipped: 30 }])).toEqual({
      passed: 17,
      failed: 21,
      skipped: 32,
    })
  })

  test('returns zeroes without reports', () => {
    expect(sumCounts([])).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})
