import { expect, test } from 'vitest'
import { printable, printableLine } from './printable.ts'

test.for([
  { it: 'a terminal sequence', text: 'a\u001B[2Jb', shown: String.raw`a\u001b[2Jb` },
  { it: 'a C1 control character', text: '\u009B2J', shown: String.raw`\u009b2J` },
  { it: 'text in the other direction', text: 'a\u202Eb', shown: String.raw`a\u202eb` },
  { it: 'a line separator', text: 'a\u2028b', shown: String.raw`a\u2028b` },
  { it: 'half of a character', text: 'a\uD83Db', shown: String.raw`a\ud83db` },
  { it: 'an invisible character beyond 16 bits', text: '\u{E0041}', shown: String.raw`\udb40\udc41` },
  { it: 'a line feed', text: 'a\nb', shown: String.raw`a\nb` },
])('escapes $it', ({ text, shown }) => {
  expect(printableLine(text)).toBe(shown)
})

test('keeps letters of any script, and line feeds unless one line is wanted', () => {
  expect(printable('Prüfgerät ⚡ 装置\n')).toBe('Prüfgerät ⚡ 装置\n')
})
