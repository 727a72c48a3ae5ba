import { expectsFailure, leavesOut } from './listed-differences.ts'
import type { VersionDifference } from './version-differences.ts'

/** A test or suite of vitest, with the fields that decide how it runs. */
export type RunnableTask = RunnableTest | RunnableSuite
interface RunnableTest {
  readonly type: 'test'
  readonly name: string
  mode: string
  fails?: boolean
}
/** A suite of vitest or a file. */
export interface RunnableSuite {
  readonly type: 'suite'
  readonly name: string
  mode: string
  readonly tasks: readonly RunnableTask[]
}

/**
 * Marks the listed suites of a file as skipped, and the listed checks as ones that must fail.
 *
 * @param file - Below `e2e/scenarios`.
 * @param entries - Those of the tested version.
 */
export function applyDifferences(
  tasks: readonly RunnableTask[],
  file: string,
  entries: readonly VersionDifference[],
  suites: readonly string[] = [],
): void {
  for (const task of tasks) {
    const titles = [...suites, task.name]
    if (task.type === 'test') {
      if (entries.some((entry) => expectsFailure(entry, { file, suites, title: task.name }))) task.fails = true
    } else if (entries.some((entry) => leavesOut(entry, { file, suites: titles }))) leaveOut(task)
    else applyDifferences(task.tasks, file, entries, titles)
  }
}

function leaveOut(task: RunnableTask): void {
  task.mode = 'skip'
  if (task.type === 'suite') for (const each of task.tasks) leaveOut(each)
}
