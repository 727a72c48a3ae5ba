import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../schema/json/api-object.ts'
import { createCollection, type Change, type Collection } from './collection.ts'

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
  test('stamps every version with the next revision and lists by key', () => {
    const things = collection()
    things.put('b', object('b'))
    things.put('a', object('a'))
    expect(things.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion])).toEqual([
      ['a', '2'],
      ['b', '1'],
    ])
    expect(things.size).toBe(2)
  })

  test('removes with a revision of its own and answers undefined for what is not there', () => {
    const things = collection()
    things.put('a', object('a'))
    expect(things.remove('a')?.metadata.resourceVersion).toBe('2')
    expect(things.remove('a')).toBeUndefined()
    expect(things.list()).toEqual([])
  })

  test('knows the past as long as its history reaches', () => {
    const things = collection()
    things.put('a', object('a'))
    things.put('b', object('b'))
    things.remove('a')
    expect(things.listAt(2)?.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
    expect(things.listAt(1)?.map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(things.changesAfter(1)?.map(({ type }) => type)).toEqual(['ADDED', 'DELETED'])
  })

  test('forgets old changes beyond its history', () => {
    const things = collection(2)
    for (let i = 0; i < 4; i++) things.put('a', object('a'))
    expect(things.oldestRevision).toBe(2)
    expect(things.changesAfter(1)).toBeUndefined()
    expect(things.changesAfter(2)).toHaveLength(2)
  })

  test('remembers all that is fresh, up to a bound', () => {
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

  test('forgets all of them when it is compacted', () => {
    const things = collection()
    things.put('a', object('a'))
    things.compact()
    expect(things.changesAfter(0)).toBeUndefined()
    expect(things.changesAfter(1)).toEqual([])
    expect(things.listAt(0)).toBeUndefined()
  })

  test('tells subscribers of one index value what comes to it and what leaves it', () => {
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
