import { expect, test } from 'vitest'
import { parseBenchArgs } from './bench-args.ts'

const names = ['fit', 'other']

test.for([
  { it: 'runs the named bench', argv: ['fit'], expected: { kind: 'run', name: 'fit', isQuick: false } },
  { it: 'runs it quickly', argv: ['other', '--quick'], expected: { kind: 'run', name: 'other', isQuick: true } },
  {
    it: 'takes flags before the name',
    argv: ['--quick', 'fit'],
    expected: { kind: 'run', name: 'fit', isQuick: true },
  },
  { it: 'explains itself', argv: ['--help'], expected: { kind: 'help' } },
  { it: 'needs a name', argv: [], expected: { kind: 'refused', reason: 'name one bench' } },
  { it: 'takes one name only', argv: ['fit', 'other'], expected: { kind: 'refused', reason: 'name one bench' } },
  {
    it: 'refuses a name it does not know',
    argv: ['x'],
    expected: { kind: 'refused', reason: 'there is no bench "x"' },
  },
])('$it', ({ argv, expected }) => {
  expect(parseBenchArgs(argv, names)).toEqual(expected)
})

test('a flag that it does not know is refused with its name', () => {
  expect(parseBenchArgs(['fit', '--fast'], names)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('--fast') as string,
  })
})
