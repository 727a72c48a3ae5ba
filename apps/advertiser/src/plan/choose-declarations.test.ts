import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { chooseDeclarations } from './choose-declarations.ts'
import type { Declaration, Origin } from './declaration.ts'

const node: Node = { metadata: { name: 'node-a' } }
const resourceName = 'example.com/dongle'
const declare = (path: string, origin: Origin, names = ['node-a']): Declaration => ({
  path,
  origin,
  resourceName,
  nodes: { kind: 'names', names: new Set(names) },
  amount: { kind: 'units', units: 1n },
})
const file = (path: string): Declaration => declare(path, { kind: 'file' })
const object = (name: string, precedence = 0, createdAtMs = 0): Declaration =>
  declare(name, { kind: 'object', name, precedence, createdAtMs })

describe('chooseDeclarations', () => {
  test.for([
    { it: 'the file overrides every object', all: [object('a', 1_000), file('f')], applied: ['f'], overridden: ['a'] },
    {
      it: 'two entries of the file contradict each other, and override objects',
      all: [file('f'), object('a'), file('g')],
      applied: ['f', 'g'],
      overridden: ['a'],
    },
    {
      it: 'the highest precedence applies',
      all: [object('a', 1), object('b', 3), object('c', 2)],
      applied: ['b'],
      overridden: ['c', 'a'],
    },
    {
      it: 'with the same precedence, the oldest applies',
      all: [object('a', 0, 20), object('b', 0, 10)],
      applied: ['b'],
      overridden: ['a'],
    },
    {
      it: 'with the same age, the first by name applies',
      all: [object('b', 5, 10), object('a', 5, 10)],
      applied: ['a'],
      overridden: ['b'],
    },
  ])('$it, in any order of the declarations', ({ all, applied, overridden }) => {
    for (const order of [all, all.toReversed()]) {
      const choice = chooseDeclarations(order, node).get(resourceName)
      expect(choice?.applied.map(({ path }) => path).toSorted()).toEqual(applied)
      expect(choice?.overridden.map(({ path }) => path)).toEqual(overridden)
    }
  })

  test('does not consider declarations that select other nodes', () => {
    const other = declare('other', { kind: 'object', name: 'other', precedence: 9, createdAtMs: 0 }, ['node-b'])
    expect(chooseDeclarations([other, object('a')], node).get(resourceName)).toMatchObject({
      applied: [{ path: 'a' }],
      overridden: [],
    })
    expect(chooseDeclarations([other], node).size).toBe(0)
  })
})
