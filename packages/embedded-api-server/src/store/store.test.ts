import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../schema/json/api-object.ts'
import { createStore, type Store } from './store.ts'

const thing: ApiObject = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' } }

/** Returns how many changes of a kind are kept after `writes` writes, spread evenly over `overMs`. */
function keptChanges(writes: number, overMs: number, storage = '/configmaps'): number {
  let now = 0
  const store: Store = createStore(() => now)
  const things = store.collection(storage)
  for (let i = 0; i < writes; i++) {
    now += overMs / writes
    things.put('a', thing)
  }
  return things.changesAfter(things.oldestRevision)?.length ?? 0
}

describe('the history of a kind', () => {
  test.for([
    { what: 'all of 4,000 changes, whatever their age', writes: 4000, overMs: 3_600_000, atLeast: 4000, atMost: 4000 },
    { what: 'all of a burst of 20,000', writes: 20_000, overMs: 1000, atLeast: 20_000, atMost: 20_000 },
    { what: 'the last 75 s of a constant load', writes: 40_000, overMs: 150_000, atLeast: 20_000, atMost: 24_192 },
    { what: 'at most 65,536 changes', writes: 100_000, overMs: 1000, atLeast: 61_440, atMost: 65_536 },
  ])('keeps $what', ({ writes, overMs, atLeast, atMost }) => {
    const count = keptChanges(writes, overMs)
    expect(count).toBeGreaterThanOrEqual(atLeast)
    expect(count).toBeLessThanOrEqual(atMost)
  })

  test('keeps at most 8,192 lease renewals', () => {
    const count = keptChanges(20_000, 40_000, 'coordination.k8s.io/leases')
    expect(count).toBeGreaterThanOrEqual(4096)
    expect(count).toBeLessThanOrEqual(8192)
  })

  test('drops old changes of a kind when only other kinds are written', () => {
    let now = 0
    const store = createStore(() => now)
    const maps = store.collection('/configmaps')
    for (let i = 0; i < 20_000; i++) maps.put('a', thing)
    expect(maps.changesAfter(maps.oldestRevision)).toHaveLength(20_000)
    now = 75_001
    for (let i = 0; i < 4096; i++) store.collection('/secrets').put('a', thing)
    expect(maps.changesAfter(maps.oldestRevision)).toHaveLength(4096)
  })
})
