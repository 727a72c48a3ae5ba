import { styleText } from 'node:util'
import type { FuzzResult } from '../loop/fuzz-loop.ts'

/** Formats the line that reports the run of one target. */
export function resultLine(name: string, result: FuzzResult, runMs: number): string {
  const { executions, valid, refused, covered, total, findings, poolSize } = result
  const number = (value: number): string => value.toLocaleString('en')
  const perSecond = Math.round((executions * 1_000) / Math.max(1, runMs))
  const mark = findings.length === 0 ? styleText('green', '✔') : styleText('red', '✘')
  return [
    `${mark} ${name.padEnd(24)} ${number(executions).padStart(10)} inputs (${number(perSecond)}/s)`,
    `${number(valid)} accepted, ${number(refused)} refused`,
    `${number(covered)} of ${number(total)} counters covered by ${number(poolSize)} inputs`,
    `${findings.length} findings`,
  ].join('; ')
}
