import { spawn } from 'node:child_process'
import { styleText } from 'node:util'
import { checkLine, formatDuration } from './check-line.ts'
import type { Check } from './checks.ts'
import { readVitestCounts, type TestCounts } from './vitest-counts.ts'

/** Interval of progress lines while a check runs without a terminal. */
export const PROGRESS_INTERVAL_MS = 60_000

/**
 * Runs one check and prints one line with its result, test counts and duration. The output of a failed check is printed
 * in full, with the command that repeats the check.
 *
 * @returns The passed and failed tests of the check, plus one for the check itself.
 */
export async function runCheck(check: Check): Promise<Pick<TestCounts, 'passed' | 'failed'>> {
  const { name, command, showsProgress = false, vitestReportPath } = check
  const startMs = performance.now()
  const elapsedMs = (): number => performance.now() - startMs
  if (process.stdout.isTTY) console.log(styleText('dim', `  ${name} …`))
  const timer = setInterval(() => console.log(`  ${name}: ${formatDuration(elapsedMs())} so far`), PROGRESS_INTERVAL_MS)
  if (process.stdout.isTTY) clearInterval(timer)

  const { status, output } = await run(command, showsProgress && process.stdout.isTTY)
  clearInterval(timer)
  const isOk = status === 0
  const tests = vitestReportPath === undefined ? undefined : readVitestCounts(vitestReportPath)
  if (!isOk) console.log(output.trimEnd())
  console.log(checkLine({ name, isOk, durationMs: elapsedMs(), ...(tests && { tests }) }))
  if (!isOk) console.log(`  Run it again: ${command.join(' ')}`)
  return { passed: (isOk ? 1 : 0) + (tests?.passed ?? 0), failed: (isOk ? 0 : 1) + (tests?.failed ?? 0) }
}

async function run(
  [program, ...args]: Check['command'],
  isInherited: boolean,
): Promise<{ readonly status: number; readonly output: string }> {
  const stdio = isInherited ? 'inherit' : 'pipe'
  const child = spawn(program, args, { stdio: ['ignore', stdio, stdio] })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => output.push(text))
  }
  const status = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      output.push(`cannot start ${program}: ${error.message}\n`)
      resolve(1)
    })
    child.once('close', (code) => resolve(code ?? 1))
  })
  return { status, output: output.join('') }
}
