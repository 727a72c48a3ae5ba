import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../schema/json/api-object.ts'
import type { Change } from './change-history.ts'
import { createCollection, type Collection } from './collection.ts'

const object = (name: string, node = ''): ApiObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name }, node })

function collection(least = 4, more: { readonly most?: number; readonly now?: () => number } = {}): Collection {
  let revision = 0
  return createCollection({
    nextRevision: () => ++revision,
    currentRevision: () => revision,
    startRevision: 0,
    history: { retentionMs: 1000, minChanges: least, maxChanges: more.most ?? least },
    now: more.now ?? (() => 0),
    indexOf: (each) => String(each['node']),
  })
}

describe('collection', () => {
  test('gives every version the next revision and lists objects by key', () => {
    const things = collection()
    things.put('b', object('b'))
    things.put('a', object('a'))
    expect(things.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion])).toEqual([
      ['a', '2'],
      ['b', '1'],
    ])
    expect(things.size).toBe(2)
  })

  test('gives a removal its own revision and returns undefined when the object does not exist', () => {
    const things = collection()
    things.put('a', object('a'))
    expect(things.remove('a')?.metadata.resourceVersion).toBe('2')
    expect(things.remove('a')).toBeUndefined()
    expect(things.list()).toEqual([])
  })

  test('lists past objects and changes within its history', () => {
    const things = collection()
    things.put('a', object('a'))
    things.put('b', object('b'))
    things.remove('a')
    expect(things.listAt(2)?.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
    expect(things.listAt(1)?.map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(things.changesAfter(1)?.map(({ type }) => type)).toEqual(['ADDED', 'DELETED'])
  })

  test('drops changes that exceed its history bounds', () => {
    const things = collection(2)
    for (let i = 0; i < 4; i++) things.put('a', object('a'))
    expect(things.oldestRevision).toBe(2)
    expect(things.changesAfter(1)).toBeUndefined()
    expect(things.changesAfter(2)).toHaveLength(2)
  })

  test('keeps all recent changes, up to the maximum', () => {
    let now = 0
    const things = collection(2, { most: 8, now: () => now })
    for (let i = 0; i < 6; i++) things.put('a', object('a'))
    expect(things.changesAfter(0)).toHaveLength(6)
    now = 1001
    for (let i = 0; i < 2; i++) things.put('a', object('a'))
    expect(things.oldestRevision).toBe(6)
    expect(things.changesAfter(6)).toHaveLength(2)
    for (let i = 0; i < 40; i++) things.put('a', object('a'))
    expect(things.changesAfter(things.oldestRevision)?.length).toBeGreaterThanOrEqual(8)
    expect(things.changesAfter(things.oldestRevision)?.length).toBeLessThan(8 + 2)
  })

  test('drops its whole history when it is compacted', () => {
    const things = collection()
    things.put('a', object('a'))
    things.compact()
    expect(things.changesAfter(0)).toBeUndefined()
    expect(things.changesAfter(1)).toEqual([])
    expect(things.listAt(0)).toBeUndefined()
  })

  test('notifies subscribers of an index value about objects that gain or lose the value', () => {
    const things = collection()
    const seen: Change[] = []
    const end = things.subscribe((change) => seen.push(change), 'n1')
    things.put('a', object('a', 'n2'))
    things.put('a', object('a', 'n1'))
    things.put('a', object('a', 'n3'))
    things.put('a', object('a', 'n4'))
    expect(seen.map(({ revision }) => revision)).toEqual([2, 3])
    end()
    things.put('a', object('a', 'n1'))
    expect(seen).toHaveLength(2)
  })
})
