import { styleText } from 'node:util'
import { describe, expect, test } from 'vitest'
import { alignColumns, printable, widthOf, wrapText } from './align-columns.ts'

describe('alignColumns', () => {
  test('puts equal columns under each other, whatever is coloured and however short a line is', () => {
    const red = styleText('red', 'red', { validateStream: false })
    const lines = alignColumns([['a', 'bb', 'c'], [red, 'b', 'cc'], ['only'], []])
    expect(lines.map((line) => printable(line))).toEqual(['a     bb   c', 'red   b    cc', 'only', ''])
  })

  test('leaves no space at the end of a line', () => {
    expect(
      alignColumns([
        ['name', 'x'],
        ['name', ''],
      ])[1],
    ).toBe('name')
  })
})

describe('printable', () => {
  test.for([
    { it: 'colour', given: '\u001B[31mred\u001B[0m', shown: 'red' },
    { it: 'a new title of the window', given: '\u001B]0;owned\u0007x', shown: 'x' },
    { it: 'line feeds', given: 'a\r\n\tb', shown: 'a b' },
    { it: 'other letters', given: 'été 资源', shown: 'été 资源' },
  ])('lets text from the cluster set no $it', ({ given, shown }) => {
    expect(printable(given)).toBe(shown)
  })
})

describe('wrapText', () => {
  test('keeps to the width and leaves long words whole', () => {
    expect(wrapText('one two example.com/dongle three', 9)).toEqual(['one two', 'example.com/dongle', 'three'])
  })

  test('gives one line for a short text', () => expect(wrapText('', 5)).toEqual(['']))

  test('counts no escape sequence as width', () => expect(widthOf('\u001B[1mab\u001B[0m')).toBe(2))
})
