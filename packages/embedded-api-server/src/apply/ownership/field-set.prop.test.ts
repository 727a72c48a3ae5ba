import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { intersection, isEmptySet, LEAF, pathsOf, difference, union, type FieldSet } from './field-set.ts'

// Each set is built from known paths, so that the oracle is plain set arithmetic.
const path = array(constantFrom('f:a', 'f:b', 'k:{"name":"x"}'), { minLength: 1, maxLength: 3 })
const paths = array(path, { maxLength: 6 })

function setOfPaths(members: readonly (readonly string[])[]): FieldSet {
  return members.reduce<FieldSet>((set, member) => union(set, setOfPath(member)), {})
}

function setOfPath([first = '', ...rest]: readonly string[]): FieldSet {
  return { [first]: rest.length === 0 ? LEAF : setOfPath(rest) }
}

const pathSetOf = (set: FieldSet): ReadonlySet<string> => new Set(pathsOf(set))

describe('field sets', () => {
  test('contain exactly the paths they were built from', () => {
    assert(
      property(paths, (members) => {
        expect(pathSetOf(setOfPaths(members))).toEqual(new Set(members.map((member) => pathsOf(setOfPath(member))[0])))
      }),
    )
  })

  test('have the union, difference and intersection of their paths', () => {
    assert(
      property(paths, paths, (left, right) => {
        const a = setOfPaths(left)
        const b = setOfPaths(right)
        expect(pathSetOf(union(a, b))).toEqual(pathSetOf(a).union(pathSetOf(b)))
        expect(pathSetOf(difference(a, b))).toEqual(pathSetOf(a).difference(pathSetOf(b)))
        expect(pathSetOf(intersection(a, b))).toEqual(pathSetOf(a).intersection(pathSetOf(b)))
        expect(isEmptySet(difference(a, a))).toBe(true)
      }),
    )
  })
})
