import { describe, expect, test } from 'vitest'
import { renderHelp } from './render-help.ts'

describe('renderHelp', () => {
  test('breaks a long command of an example before a flag, so that it can be copied and fits in 80 columns', () => {
    const command = `extender --tls-cert-file ${'a'.repeat(30)} --tls-private-key-file ${'b'.repeat(30)} -v`
    const help = renderHelp({ summary: 'A summary.', usage: ['extender'], examples: [{ command, description: 'Run' }] })
    expect(help).toContain(
      `  # Run\n  extender --tls-cert-file ${'a'.repeat(30)} \\\n      --tls-private-key-file ${'b'.repeat(30)} -v\n`,
    )
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test.for([
    [40, 40],
    [60, 60],
    [200, 80],
  ] as const)('fits on a terminal of %i columns, with lines of at most %i', ([columns, width]) => {
    const text = 'several words '.repeat(20)
    const entry = { head: '--flag', text, details: [text] }
    const page = { summary: text, usage: [text], examples: [], commands: [entry], flags: [entry], notes: [text] }
    const lengths = renderHelp(page, columns)
      .split('\n')
      .map(({ length }) => length)
    expect(Math.max(...lengths)).toBeGreaterThan(width - 20)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(width)
  })
})
