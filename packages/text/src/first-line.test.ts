import { expect, test } from 'vitest'
import { firstLine } from './first-line.ts'

test.for([
  { it: 'one line', text: 'four dongles', line: 'four dongles' },
  { it: 'several lines', text: 'bad indentation:\n\n  a: b\n  ^', line: 'bad indentation:' },
  { it: 'blank lines first', text: '\n \r\n  no licence\r\nmore', line: 'no licence' },
  { it: 'blank lines only', text: ' \n', line: '' },
])('the first line of $it', ({ text, line }) => {
  expect(firstLine(text)).toBe(line)
})
