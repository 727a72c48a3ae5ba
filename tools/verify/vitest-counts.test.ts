import { describe, expect, test } from 'vitest'
import { readVitestCounts, vitestCounts } from './vitest-counts.ts'

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
