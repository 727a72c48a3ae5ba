import type { Taint, Toleration } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { toleratesTaint, tolerationMatcher } from './tolerations.ts'

const word = fc.constantFrom('', 'a', 'b', '1:a', '0:')
const effect = fc.constantFrom('', 'NoSchedule', 'PreferNoSchedule', 'NoExecute')
const operator = fc.constantFrom('', 'Equal', 'Exists', 'Gt', 'Near')
const toleration: fc.Arbitrary<Toleration> = fc.record(
  { key: word, operator, value: word, effect },
  { requiredKeys: [] },
)
const taint: fc.Arbitrary<Taint> = fc.record({ key: word, value: word, effect }, { requiredKeys: ['key', 'effect'] })

test('a list of tolerations tolerates a taint exactly when one of them does, long or short', () => {
  fc.assert(
    fc.property(fc.array(toleration, { maxLength: 3 }), taint, (some, someTaint) => {
      // The padding makes the list long without tolerating any of these taints.
      const many = [...some, ...Array.from({ length: 40 }, (_, i) => ({ key: `other-${i}`, operator: 'Exists' }))]
      const expected = some.some((each) => toleratesTaint(each, someTaint))
      expect([tolerationMatcher(some)(someTaint), tolerationMatcher(many)(someTaint)]).toEqual([expected, expected])
    }),
    { numRuns: 2000 },
  )
})
