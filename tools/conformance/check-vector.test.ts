import { describe, expect, test } from 'vitest'
import { checkVector } from './check-vector.ts'
import type { VectorKind } from './vector-kind.ts'
import type { Vector } from './vector.ts'

const kinds = new Map<string, VectorKind>([
  ['echo', { answer: (input) => input }],
  [
    'throws',
    {
      answer: () => {
        throw new Error('broken')
      },
    },
  ],
  ['firstOnly', { answer: (input) => input, comparable: (answer) => (answer as { first?: unknown }).first }],
])
const vector = (kind: string, input: unknown, expected: unknown): Vector => ({ id: 'v', kind, input, expected })

describe('checkVector', () => {
  test.for([
    { it: 'passes equal answers', kind: 'echo', input: { a: [1], b: null }, expected: { b: null, a: [1] } },
    { it: 'treats bigint and number alike', kind: 'echo', input: 5n, expected: 5 },
    { it: 'treats an undefined property as absent', kind: 'echo', input: { a: undefined }, expected: {} },
    {
      it: 'compares the comparable part only',
      kind: 'firstOnly',
      input: { first: 1, rest: 2 },
      expected: { first: 1 },
    },
  ])('$it', ({ kind, input, expected }) => {
    expect(checkVector(vector(kind, input, expected), kinds)).toEqual({ kind: 'passed', id: 'v' })
  })

  test.for([
    {
      it: 'names the path that differs',
      kind: 'echo',
      input: { a: { b: 1, c: 2 } },
      expected: { a: { b: 1, c: 3 } },
      report: 'a.c: expected 3, got 2',
    },
    { it: 'reports a missing key', kind: 'echo', input: {}, expected: { a: 0 }, report: 'a: expected 0, got nothing' },
    { it: 'reports an extra key', kind: 'echo', input: { a: 0 }, expected: {}, report: 'a: expected nothing, got 0' },
    {
      it: 'distinguishes a number from its text',
      kind: 'echo',
      input: '1',
      expected: 1,
      report: '(whole answer): expected 1, got "1"',
    },
    {
      it: 'compares the order of a list',
      kind: 'echo',
      input: [1, 2],
      expected: [2, 1],
      report: 'expected [2,1], got [1,2]',
    },
    { it: 'fails an answer that throws', kind: 'throws', input: {}, expected: {}, report: 'broken' },
    {
      it: 'fails an unsupported kind',
      kind: 'unknown',
      input: {},
      expected: {},
      report: 'kind "unknown" is not supported; supported are echo, throws, firstOnly',
    },
    { it: 'shortens long values', kind: 'echo', input: 'x'.repeat(999), expected: '', report: 'x'.repeat(100) },
  ])('$it', ({ kind, input, expected, report }) => {
    expect(checkVector(vector(kind, input, expected), kinds)).toMatchObject({
      kind: 'failed',
      report: expect.stringContaining(report),
    })
  })
})
