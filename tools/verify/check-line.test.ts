import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { checkLine, formatDuration } from './check-line.ts'

const plain = (result: Parameters<typeof checkLine>[0]) => stripVTControlCharacters(checkLine(result))

describe('checkLine', () => {
  test('names the check, its result and its duration', () => {
    expect(plain({ name: 'lint', isOk: true, durationMs: 1234 })).toMatch(/^✔ lint {2,}1\.2 s$/)
    expect(plain({ name: 'lint', isOk: false, durationMs: 1234 })).toMatch(/^✘ lint {2,}1\.2 s$/)
  })

  test('counts the tests of a check that runs tests', () => {
    const tests = { passed: 12, failed: 3, skipped: 1 }
    expect(plain({ name: 'tests', isOk: false, durationMs: 0, tests })).toContain('12 passed, 3 failed, 1 skipped')
    expect(plain({ name: 'tests', isOk: true, durationMs: 0, tests: { ...tests, skipped: 0 } })).not.toContain(
      'skipped',
    )
  })

  test('fits into 80 columns', () => {
    const tests = { passed: 12_345, failed: 12_345, skipped: 123 }
    expect(plain({ name: 'generated files', isOk: true, durationMs: 599_000, tests }).length).toBeLessThanOrEqual(80)
  })
})

describe('formatDuration', () => {
  test.for([
    [40, '0.0 s'],
    [59_900, '59.9 s'],
    [60_000, '1 min 00 s'],
    [305_400, '5 min 05 s'],
  ] as const)('formats %i ms as %s', ([ms, text]) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
