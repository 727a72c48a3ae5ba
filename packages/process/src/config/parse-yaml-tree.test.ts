import { describe, expect, test } from 'vitest'
import { parseYamlTree } from './parse-yaml-tree.ts'

describe('parseYamlTree', () => {
  test('reads aliases as the values that they stand for', () => {
    expect(parseYamlTree('a: &x {b: 1}\nc: *x\n')).toEqual({ a: { b: 1 }, c: { b: 1 } })
  })

  const tenTimes = (name: string): string => Array.from({ length: 10 }, () => `*${name}`).join(',')
  const bomb = `a: &a [x]\nb: &b [${tenTimes('a')}]\nc: &c [${tenTimes('b')}]\nd: [${tenTimes('c')}]\n`
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

  test.for([
    { it: 'a mistake of syntax', text: 'a: [1', reason: 'at line 1' },
    { it: 'an alias without an anchor', text: 'a: *x', reason: 'Unresolved alias' },
    { it: 'aliases that multiply', text: bomb, reason: 'Excessive alias count' },
    { it: 'a value that contains itself', text: 'a: &a [*a]', reason: 'a value contains itself' },
    { it: 'values that are nested too deep', text: nested(102), reason: 'nested deeper than 100 levels' },
    { it: 'values that are nested so deep that the parser fails', text: nested(20_000), reason: /nested|stack/ },
  ])('refuses $it, in one line', ({ text, reason }) => {
    expect(() => parseYamlTree(text)).toThrow(reason)
    expect(() => parseYamlTree(text)).toThrow(/^[^\n]*$/)
  })

  test('reads values that are nested 100 levels deep', () => {
    expect(parseYamlTree(nested(100))).toBeInstanceOf(Array)
  })
})
