import { expect, test } from 'vitest'
import { parseBenchArgs } from './bench-args.ts'

const names = ['fit', 'other']

test.for([
  { it: 'runs the named bench', argv: ['fit'], expected: { kind: 'run', name: 'fit', isQuick: false } },
  { it: 'accepts --quick', argv: ['other', '--quick'], expected: { kind: 'run', name: 'other', isQuick: true } },
  {
    it: 'accepts flags before the name',
    argv: ['--quick', 'fit'],
    expected: { kind: 'run', name: 'fit', isQuick: true },
  },
  { it: 'shows the help', argv: ['--help'], expected: { kind: 'help' } },
  { it: 'requires a name', argv: [], expected: { kind: 'refused', reason: 'name exactly one benchmark' } },
  {
    it: 'accepts one name only',
    argv: ['fit', 'other'],
    expected: { kind: 'refused', reason: 'name exactly one benchmark' },
  },
  {
    it: 'refuses an unknown name',
    argv: ['x'],
    expected: { kind: 'refused', reason: 'unknown benchmark "x"' },
  },
])('$it', ({ argv, expected }) => {
  expect(parseBenchArgs(argv, names)).toEqual(expected)
})

test('refuses an unknown flag and names it', () => {
  expect(parseBenchArgs(['fit', '--fast'], names)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('--fast') as string,
  })
})
