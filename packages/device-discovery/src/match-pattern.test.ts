import { expect, test } from 'vitest'
import { isSameHex, matchesAny, matchesPattern } from './match-pattern.ts'

test.for([
  { text: 'ens1f0', pattern: 'ens*', is: true },
  { text: 'ens1f0', pattern: 'ens1f?', is: true },
  { text: 'ens1f0', pattern: 'ens', is: false },
  { text: '0000:3B:00.0', pattern: '0000:3b:*', is: true },
  { text: '0000:3b:00x0', pattern: '0000:3b:00.0', is: false },
  { text: 'a+b(c)', pattern: 'a+b(?)', is: true },
  { text: '', pattern: '*', is: true },
])('matches "$text" with "$pattern": $is', ({ text, pattern, is }) => {
  expect(matchesPattern(text, pattern)).toBe(is)
})

test('matches everything without patterns, and nothing with none', () => {
  expect([matchesAny('a', undefined), matchesAny('a', []), matchesAny('a', ['b', 'a'])]).toEqual([true, false, true])
})

test('compares hexadecimal numbers by value', () => {
  expect([isSameHex('0x0403', '0403'), isSameHex('10DE', '0x10de')]).toEqual([true, true])
  expect([isSameHex(undefined, '0403'), isSameHex('', '0'), isSameHex('0403', '0404')]).toEqual([false, false, false])
})
