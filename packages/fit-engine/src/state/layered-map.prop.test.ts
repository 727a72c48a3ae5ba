import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LayeredMap } from './layered-map.ts'

interface Box {
  readonly value: number
}

const step = fc.record({
  kind: fc.constantFrom('set', 'delete', 'copy', 'churn'),
  key: fc.nat(20).map(String),
  value: fc.nat(),
})

test('a map and its copies equal plain maps, even after thousands of deletions', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const all: [LayeredMap<Box>, Map<string, Box>][] = [[new LayeredMap(), new Map()]]
      for (const [i, { kind, key, value }] of steps.entries()) {
        const pair = all[i % all.length]
        if (pair === undefined) continue
        const [layered, plain] = pair
        if (kind === 'copy') all.push([layered.copy(), new Map(plain)])
        else if (kind === 'delete') {
          layered.delete(key)
          plain.delete(key)
        } else if (kind === 'set') {
          layered.set(key, { value })
          plain.set(key, { value })
        } else {
          for (let k = 0; k < 1100; k++) layered.set(`gone-${k}`, { value })
          for (let k = 0; k < 1100; k++) layered.delete(`gone-${k}`)
        }
      }
      for (const [layered, plain] of all) {
        expect(new Set(layered.values())).toEqual(new Set(plain.values()))
        for (let k = 0; k <= 20; k++) expect(layered.get(`${k}`)).toEqual(plain.get(`${k}`))
        expect(layered.get('gone-7')).toBeUndefined()
      }
    }),
  )
})
