import { existsSync, readFileSync } from 'node:fs'

/** Numbers of tests by their result. */
export interface TestCounts {
  readonly passed: number
  readonly failed: number
  /** Tests that are marked as skipped or to do, or whose `beforeAll` failed. */
  readonly skipped: number
}

/**
 * Counts the tests in a vitest JSON report.
 *
 * @returns Zeroes when there is no report, as when vitest was not among the checks.
 */
export function readVitestCounts(path: string): TestCounts {
  if (!existsSync(path)) return { passed: 0, failed: 0, skipped: 0 }
  return vitestCounts(JSON.parse(readFileSync(path, 'utf8')))
}

/** Counts the tests in a parsed report. A file that could not be loaded counts as one failed test. */
export function vitestCounts(report: {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests?: number
  readonly numTodoTests?: number
  readonly testResults?: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[]
}): TestCounts {
  const brokenFiles = (report.testResults ?? []).filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length
  const { numPendingTests = 0, numTodoTests = 0 } = report
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles,
    skipped: numPendingTests + numTodoTests,
  }
}

/** Adds the counts of several reports. */
export function sumCounts(counts: readonly TestCounts[]): TestCounts {
  return counts.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  )
}
