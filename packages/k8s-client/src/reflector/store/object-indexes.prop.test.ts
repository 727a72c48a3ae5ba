import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIndexes } from './object-indexes.ts'

interface Thing {
  readonly node: string
  readonly tags: readonly string[]
}
const word = fc.constantFrom('a', 'b', '__proto__', 'constructor', '')
const thing = fc.record({ node: word, tags: fc.array(word, { maxLength: 3 }) })
const change = fc.record({ key: fc.constantFrom('k1', 'k2', 'k3', '__proto__'), thing: fc.option(thing) })
const run = (task: () => void): void => task()

describe('indexes', () => {
  test('find the same objects as a full scan, after any changes', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const indexes = createIndexes<Thing>({ node: ({ node }) => [node], tag: ({ tags }) => tags }, run)
        const all = new Map<string, Thing>()
        for (const { key, thing: next } of changes) {
          if (next === null) {
            all.delete(key)
            indexes.drop(key)
          } else {
            all.set(key, next)
            indexes.put(key, next)
          }
        }
        const scan = (has: (object: Thing) => boolean): readonly string[] =>
          [...all].flatMap(([key, object]) => (has(object) ? [key] : [])).toSorted()
        for (const value of ['a', 'b', '__proto__', 'constructor', '', 'none']) {
          expect([...indexes.find('node', value)].toSorted()).toEqual(scan(({ node }) => node === value))
          expect([...indexes.find('tag', value)].toSorted()).toEqual(scan(({ tags }) => tags.includes(value)))
        }
      }),
    )
  })

  test('leave out an object whose key function throws, but only in that index', () => {
    const errors: unknown[] = []
    const indexes = createIndexes<Thing>(
      {
        bad: () => {
          throw new Error('no')
        },
        node: ({ node }) => [node],
      },
      (task) => {
        try {
          task()
        } catch (error) {
          errors.push(error)
        }
      },
    )
    indexes.put('k', { node: 'n', tags: [] })
    expect([[...indexes.find('bad', 'n')], [...indexes.find('node', 'n')], errors]).toEqual([
      [],
      ['k'],
      [new Error('no')],
    ])
  })

  test.for(['other', 'constructor'])('throw a RangeError for the undefined index %j', (name) => {
    expect(() => createIndexes<Thing>({}, run).find(name, 'v')).toThrow(`there is no index "${name}"`)
  })
})
