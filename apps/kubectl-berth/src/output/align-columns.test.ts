import { stripVTControlCharacters, styleText } from 'node:util'
import { describe, expect, test } from 'vitest'
import { alignColumns, widthOf, wrapText } from './align-columns.ts'

describe('alignColumns', () => {
  test('puts equal columns under each other, whatever is coloured and however short a line is', () => {
    const red = styleText('red', 'red', { validateStream: false })
    const lines = alignColumns([['a', 'bb', 'c'], [red, 'b', 'cc'], ['only'], []])
    expect(lines.map((line) => stripVTControlCharacters(line))).toEqual(['a     bb   c', 'red   b    cc', 'only', ''])
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

describe('wrapText', () => {
  test('keeps to the width and leaves long words whole', () => {
    expect(wrapText('one two example.com/dongle three', 9)).toEqual(['one two', 'example.com/dongle', 'three'])
  })

  test('gives one line for a short text', () => expect(wrapText('', 5)).toEqual(['']))

  test('counts no escape sequence as width', () => expect(widthOf('\u001B[1mab\u001B[0m')).toBe(2))
})
