import { stripVTControlCharacters } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { checks } from './checks.ts'
import { PROGRESS_INTERVAL_MS, runCheck } from './run-check.ts'

const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
afterEach(() => printed.mockClear())
const lines = (): readonly string[] =>
  printed.mock.calls.flatMap(([text]) => stripVTControlCharacters(String(text)).split('\n'))

/** A command that prints 1,000 lines on both streams. */
const wordy = (code: number) =>
  [
    process.execPath,
    '-e',
    `for (let i = 0; i < 1000; i++) (i % 2 ? console.log : console.error)(i); process.exitCode = ${code}`,
  ] as const

describe('runCheck', () => {
  test('prints one line for a check that passes, whatever its command prints', async () => {
    expect(await runCheck({ name: 'lint', command: wordy(0) })).toEqual({ passed: 1, failed: 0 })
    expect(lines()).toEqual([expect.stringMatching(/^✔ lint /)])
  })

  test('prints all output of a check that fails, and the command that repeats it', async () => {
    expect(await runCheck({ name: 'lint', command: wordy(1) })).toEqual({ passed: 0, failed: 1 })
    expect(lines()).toHaveLength(1_002)
    expect(lines().at(-2)).toMatch(/^✘ lint /)
    expect(lines().at(-1)).toBe(`  Run it again: ${wordy(1).join(' ')}`)
  })

  test('reports a program that cannot be started', async () => {
    expect(await runCheck({ name: 'lint', command: ['no-such-program'] })).toEqual({ passed: 0, failed: 1 })
    expect(lines()[0]).toContain('cannot start no-such-program')
  })
})

test('npm test prints less than 60 lines when everything passes, even when it takes 40 minutes', () => {
  const progressLines = (40 * 60_000) / PROGRESS_INTERVAL_MS
  const summaryLines = 2
  const checkLines = checks('report.json', { isTerminal: false }).length
  expect(checkLines + progressLines + summaryLines).toBeLessThan(60)
})
