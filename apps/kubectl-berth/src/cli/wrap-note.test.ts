import { expect, test } from 'vitest'
import { wrapNote } from './wrap-note.ts'

test('wraps each line, and keeps those that fit', () => {
  expect(wrapNote('one two three\n\nfour\n', 9)).toBe('one two\nthree\n\nfour\n')
  expect(wrapNote('one two three\n', Infinity)).toBe('one two three\n')
})

test('keeps a command whole on a line of its own', () => {
  const command = 'kubectl berth explain pod web -n shop'
  expect(wrapNote(`To see why it is pending: ${command}\n`, 20)).toBe(`To see why it is\npending:\n${command}\n`)
  expect(wrapNote(`To see: ${command}`, 80)).toBe(`To see: ${command}`)
})
