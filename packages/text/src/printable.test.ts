import { describe, expect, test } from 'vitest'
import { escapeUnprintable, isUnprintable, printableLine, printableText } from './printable.ts'

const hostile = 'a\u001B]0;owned\u0007b\u001B[31mc\u009Bd\u202Ee\u2066f\u200Fg\u2028h\ri'

describe('printableText', () => {
  test('removes escape sequences, control characters and changes of direction', () => {
    expect(printableText(hostile)).toBe('abcdefghi')
    expect(isUnprintable(hostile)).toBe(true)
  })

  test('keeps lines, tabs and other writing', () => {
    const text = 'one\n\ttwo: été 资源 שלום 👩‍🔧'
    expect(printableText(text)).toBe(text)
    expect(isUnprintable(text)).toBe(false)
  })
})

describe('printableLine', () => {
  test.for([
    { it: 'color', given: '\u001B[31mred\u001B[0m', shown: 'red' },
    { it: 'a window title', given: '\u001B]0;owned\u0007x', shown: 'x' },
    { it: 'a line feed', given: 'a\r\n\tb\u2028c', shown: 'a b c' },
    { it: 'a change of direction', given: 'a\u202Eb', shown: 'ab' },
  ])('leaves no $it', ({ given, shown }) => expect(printableLine(given)).toBe(shown))
})

test('escapes unprintable characters in JSON without changing its value', () => {
  const json = escapeUnprintable(JSON.stringify({ [hostile]: hostile }, undefined, 2))
  expect(isUnprintable(json)).toBe(false)
  expect(json).toContain(String.raw`\u009bd\u202ee\u2066f\u200fg\u2028h`)
  expect(JSON.parse(json)).toEqual({ [hostile]: hostile })
})
