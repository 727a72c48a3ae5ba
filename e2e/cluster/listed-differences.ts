import type { VersionDifference } from './version-differences.ts'

/** A check of a scenario, as vitest reports it. */
export interface ScenarioCheck {
  /** Below `e2e/scenarios`. */
  readonly file: string
  /** Titles of its suites, outermost first. */
  readonly suites: readonly string[]
  readonly title: string
}

/** Returns the entries of a version. */
export function differencesOf(
  differences: readonly VersionDifference[],
  kubernetes: string,
): readonly VersionDifference[] {
  return differences.filter((each) => each.kubernetes.includes(kubernetes))
}

/** Returns whether an entry leaves out a suite of this file. */
export function leavesOut({ file, suite }: VersionDifference, check: Omit<ScenarioCheck, 'title'>): boolean {
  return file === check.file && suite !== undefined && check.suites.includes(suite)
}

/** Returns whether an entry lists this check as one that must fail. */
export function expectsFailure({ file, checks = [], within }: VersionDifference, check: ScenarioCheck): boolean {
  const isSuite = within === undefined || check.suites.includes(within)
  return file === check.file && isSuite && checks.includes(check.title)
}

/**
 * Returns the suites and checks in the entries that no check of a run matches. Entries of files that did not run are not judged.
 *
 * @param entries - Those of the version of the run.
 */
export function unmatchedEntries(
  entries: readonly VersionDifference[],
  run: readonly ScenarioCheck[],
): readonly string[] {
  return entries
    .filter(({ file }) => run.some((check) => check.file === file))
    .flatMap((entry) => {
      const { file, suite, checks = [] } = entry
      const missing = checks.filter(
        (title) => !run.some((check) => check.title === title && expectsFailure(entry, check)),
      )
      const isSuiteMissing = suite !== undefined && !run.some((check) => leavesOut(entry, check))
      return [...(isSuiteMissing ? [suite] : []), ...missing].map((title) => `${file}: ${title}`)
    })
}
