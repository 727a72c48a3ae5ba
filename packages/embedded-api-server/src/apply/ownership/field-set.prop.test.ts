import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { intersection, isEmptySet, LEAF, pathsOf, difference, union, type FieldSet } from './field-set.ts'

// Each set is built from known paths, so that the oracle is plain set arithmetic.
const path = array(constantFrom('f:a', 'f:b', 'k:{"name":"x"}'), { minLength: 1, maxLength: 3 })
const paths = array(path, { maxLength: 6 })

function build(members: readonly (readonly string[])[]): FieldSet {
  return members.reduce<FieldSet>((set, member) => union(set, single(member)), {})
}

function single([first = '', ...rest]: readonly string[]): FieldSet {
  return { [first]: rest.length === 0 ? LEAF : single(rest) }
}

const shown = (set: FieldSet): ReadonlySet<string> => new Set(pathsOf(set))

describe('field sets', () => {
  test('contain exactly the paths they were built from', () => {
    assert(
      property(paths, (members) => {
        expect(shown(build(members))).toEqual(new Set(members.map((member) => pathsOf(single(member))[0])))
      }),
    )
  })

  test('have the union, difference and intersection of their paths', () => {
    assert(
      property(paths, paths, (left, right) => {
        const a = build(left)
        const b = build(right)
        expect(shown(union(a, b))).toEqual(shown(a).union(shown(b)))
        expect(shown(difference(a, b))).toEqual(shown(a).difference(shown(b)))
        expect(shown(intersection(a, b))).toEqual(shown(a).intersection(shown(b)))
        expect(isEmptySet(difference(a, a))).toBe(true)
      }),
    )
  })
})
