import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { BerthError } from '@berth/types'
import { CelError, compileExpression, type Expression } from '../../src/schema/cel/expression.ts'
import { jsonToCel } from '../../src/schema/cel/to-cel.ts'

const VARIABLES = ['object', 'oldObject']
const MAX_LENGTH = 2_048

/** The expression does not compile, or its evaluation fails. */
class RuleRefusal extends BerthError {
  constructor(reason: string) {
    super(reason, { code: 'BERTH_FUZZ_RULE' })
  }
}

export const contract: string =
  'A rule evaluates to the same value again, without a change of the object, or fails with the error that upstream words.'
export const refusals: readonly unknown[] = [RuleRefusal]
export const dictionary: readonly string[] = [
  'object',
  'oldObject',
  'object.name',
  'object.list',
  'object.spec.units',
  "object['a-b']",
  'object.?gone.orValue(',
  'has(',
  'size(',
  '.all(x, ',
  '.exists(x, ',
  '.map(x, ',
  '.filter(x, ',
  '.matches(',
  '.find(',
  '.findAll(',
  '.replace(',
  '.charAt(',
  '.reverse()',
  '.sum()',
  '.min()',
  '.max()',
  '.isSorted()',
  '.indexOf(',
  '.lastIndexOf(',
  '.split(',
  '.join(',
  '.substring(',
  '.trim()',
  'quantity(',
  'isQuantity(',
  '.compareTo(',
  '.add(',
  '.sub(',
  '.sign()',
  '.asInteger()',
  '.isInteger()',
  '.asApproximateFloat()',
  'isURL(',
  'duration(',
  'timestamp(',
  'int(',
  'double(',
  'string(',
  'bytes(',
  'type(',
  'dyn(',
  'cel.bind(',
  '&&',
  '||',
  '? ',
  ' : ',
  ' in ',
  '9223372036854775807',
  '1.5',
  '1u',
  "'1Gi'",
  "'[a-z]+'",
  '[1, 2]',
  "{'a': 1}",
  'null',
  'true',
]

const sample = (): unknown =>
  jsonToCel({
    name: 'example.com/dongle',
    list: [3, 1, 2],
    words: ['b', 'a'],
    mixed: [1, 'a', null, 1.5, { x: 1 }],
    spec: { units: 4, share: 0.5, memory: '8Gi', nothing: null, 'a-b': true },
    __proto__x: {},
  })

/** An expression that compiles, and its value. */
interface Evaluated {
  readonly expression: Expression
  readonly value: unknown
}

export function parse(input: Uint8Array): Evaluated {
  const text = Buffer.from(input).toString()
  if (text.length > MAX_LENGTH) throw new RuleRefusal('too long')
  try {
    const expression = compileExpression(text, VARIABLES)
    return { expression, value: expression.evaluate({ object: sample(), oldObject: null }) }
  } catch (error) {
    if (error instanceof CelError && error.message !== '') throw new RuleRefusal(error.message)
    throw error
  }
}

export function verify({ expression, value }: Evaluated): void {
  const object = sample()
  const again = expression.evaluate({ object, oldObject: null })
  assert.ok(isDeepStrictEqual(again, value), 'the second value is another one')
  assert.ok(isDeepStrictEqual(object, sample()), 'the object was changed')
  for (const name of VARIABLES) assert.equal(typeof expression.references(name), 'boolean')
}
