import { describe, expect, test } from 'vitest'
import { isUnprintable } from '@berth/text/printable'
import { parse } from 'yaml'
import { shownAmount } from './shown-amount.ts'
import { structuredText } from './structured-text.ts'

describe('shownAmount', () => {
  test.for([
    { name: 'example.com/dongle', amount: 1024n, shown: '1024' },
    { name: 'cpu', amount: 2000n, shown: '2' },
    { name: 'cpu', amount: 1900n, shown: '1900m' },
    { name: 'memory', amount: 2n * 1024n ** 3n, shown: '2Gi' },
    { name: 'memory', amount: 1500n, shown: '1500' },
    { name: 'hugepages-2Mi', amount: 4n * 1024n ** 2n, shown: '4Mi' },
    { name: 'memory', amount: 0n, shown: '0' },
    { name: 'memory', amount: -1024n, shown: '-1Ki' },
  ])('writes $amount of $name as $shown', ({ name, amount, shown }) => {
    expect(shownAmount(name, amount)).toBe(shown)
  })
})

describe('structuredText', () => {
  const value = { small: 4n, big: 2n ** 60n, map: new Map([['a', 1n]]), set: new Set(['x']) }
  const plain = { small: 4, big: '1152921504606846976', map: { a: 1 }, set: ['x'] }

  test('writes counts as numbers while these are exact', () => {
    expect(JSON.parse(structuredText(value, 'json'))).toEqual(plain)
  })

  test.for(['json', 'yaml'] as const)('escapes control and bidi characters in %s', (format) => {
    const hostile = { 'key\u202E': 'a\u001B[31mb\u009Bc\u2066', text: 'two\nlines\u200F' }
    const text = structuredText(hostile, format)
    expect(isUnprintable(text)).toBe(false)
    expect(text).toContain(String.raw`a\u001b[31mb\u009bc\u2066`)
    expect(parse(text)).toEqual(hostile)
  })

  test('writes the same as YAML', () => {
    expect(structuredText(value, 'yaml')).toBe('small: 4\nbig: "1152921504606846976"\nmap:\n  a: 1\nset:\n  - x\n')
  })
})
