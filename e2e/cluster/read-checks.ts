import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { ScenarioCheck } from './listed-differences.ts'

/** A check and its result. */
export interface ReportedCheck extends ScenarioCheck {
  /** For example `passed` or `skipped`. */
  readonly status: string
}

/**
 * Reads the checks from a vitest JSON report.
 *
 * @param scenarios - Folder that the files are relative to.
 * @returns Nothing when there is no report.
 */
export function readChecks(path: string, scenarios: string): readonly ReportedCheck[] {
  if (!existsSync(path)) return []
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly testResults: readonly {
      readonly name: string
      readonly assertionResults: readonly {
        readonly ancestorTitles: readonly string[]
        readonly title: string
        readonly status: string
      }[]
    }[]
  }
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      file: relative(scenarios, name),
      suites: ancestorTitles.filter((each) => each !== ''),
      title,
      status,
    })),
  )
}
