import type { Taint, Toleration } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { toleratesTaint, tolerationTest } from './tolerations.ts'

const word = fc.constantFrom('', 'a', 'b', '1:a', '0:')
const effect = fc.constantFrom('', 'NoSchedule', 'PreferNoSchedule', 'NoExecute')
const operator = fc.constantFrom('', 'Equal', 'Exists', 'Gt', 'Near')
const toleration: fc.Arbitrary<Toleration> = fc.record(
  { key: word, operator, value: word, effect },
  { requiredKeys: [] },
)
const taint: fc.Arbitrary<Taint> = fc.record({ key: word, value: word, effect }, { requiredKeys: ['key', 'effect'] })

test('many tolerations bear a taint exactly when one of them does', () => {
  fc.assert(
    fc.property(fc.array(toleration, { maxLength: 3 }), taint, (some, asked) => {
      // Padding makes the list long without bearing anything that the others would not.
      const many = [...some, ...Array.from({ length: 40 }, (_, i) => ({ key: `other-${i}`, operator: 'Exists' }))]
      const expected = some.some((each) => toleratesTaint(each, asked))
      expect([tolerationTest(some)(asked), tolerationTest(many)(asked)]).toEqual([expected, expected])
    }),
    { numRuns: 2000 },
  )
})
