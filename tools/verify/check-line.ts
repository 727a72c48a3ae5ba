import { styleText } from 'node:util'
import type { TestCounts } from './vitest-counts.ts'

/** The result of one check. */
export interface CheckResult {
  readonly name: string
  readonly isOk: boolean
  readonly durationMs: number
  /** Tests that the check ran. Absent for a check that is a single command. */
  readonly tests?: TestCounts
}

/** Formats the line that reports one check: its name, result, test counts and duration. */
export function checkLine({ name, isOk, durationMs, tests }: CheckResult): string {
  const mark = isOk ? styleText('green', '✔') : styleText('red', '✘')
  const counts = tests === undefined ? '' : countsText(tests)
  return `${mark} ${name.padEnd(18)} ${counts.padEnd(34)} ${styleText('dim', formatDuration(durationMs).padStart(10))}`
}

/** Formats a duration as `12.3 s` or `4 min 05 s`. */
export function formatDuration(durationMs: number): string {
  const seconds = durationMs / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}

function countsText({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}
