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
})
