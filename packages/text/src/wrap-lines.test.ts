import { expect, test } from 'vitest'
import { wrapLines } from './wrap-lines.ts'

test.for([
  { it: 'keeps a short text on one line', text: 'four dongles', width: 20, lines: ['four dongles'] },
  { it: 'keeps the columns of a line that fits', text: 'node-1  Ready', width: 20, lines: ['node-1  Ready'] },
  { it: 'breaks at spaces', text: 'four dongles on a node', width: 12, lines: ['four dongles', 'on a node'] },
  { it: 'does not break a long word', text: 'a example.com/dongle', width: 5, lines: ['a', 'example.com/dongle'] },
])('$it', ({ text, width, lines }) => {
  expect(wrapLines(text, width)).toEqual(lines)
})

test('hangs every line but the first', () => {
  expect(wrapLines('one two three', 7, '  ')).toEqual(['one two', '  three'])
})
