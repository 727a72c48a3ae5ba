import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyedHeap } from './keyed-heap.ts'

interface Item {
  readonly key: string
  readonly rank: number
}
type Step =
  | { readonly kind: 'set'; readonly key: string; readonly rank: number }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'pop' }

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l')
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ kind: fc.constant('set' as const), key, rank: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constant('pop' as const) }),
)

test('behaves like a stably sorted array', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = createKeyedHeap<Item>((a, b) => a.rank - b.rank)
      let naive: Item[] = []
      const first = (): Item | undefined => naive.toSorted((a, b) => a.rank - b.rank)[0]
      for (const action of steps) {
        const answers: (readonly [Item | undefined, Item | undefined])[] = []
        if (action.kind === 'set') {
          const item = { key: action.key, rank: action.rank }
          heap.set(action.key, item)
          naive = [...naive.filter((other) => other.key !== action.key), item]
        } else if (action.kind === 'delete') {
          answers.push([heap.delete(action.key), naive.find((item) => item.key === action.key)])
          naive = naive.filter((item) => item.key !== action.key)
        } else {
          const expected = first()
          answers.push([heap.pop(), expected])
          naive = naive.filter((item) => item !== expected)
        }
        for (const [answer, expected] of answers) expect(answer).toEqual(expected)
        expect(heap.size).toBe(naive.length)
        expect(heap.peek()).toEqual(first())
        for (const item of naive) expect(heap.get(item.key)).toEqual(item)
      }
      expect([...heap.values()].map((item) => item.key).toSorted()).toEqual(naive.map((item) => item.key).toSorted())
    }),
    { numRuns: 500 },
  )
})
