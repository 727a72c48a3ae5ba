import assert from 'node:assert/strict'
import { PluginError } from '@berth/plugin-api'
import { compileArithmetic, ExpressionError, type Arithmetic } from '../../src/compile-arithmetic.ts'
import { sampleNode } from '../sample.ts'

/** The longest expression that the arguments of the plugin allow. */
const MAX_LENGTH = 2_048

/** The expression is not valid, or gives no number for the node. */
class ExpressionRefusal extends PluginError {
  constructor(reason: string) {
    super(reason, { code: 'BERTH_FUZZ_EXPRESSION' })
  }
}

export const contract: string =
  'An expression gives the same number again, within 100 ms, or an error in one line that is about the expression.'
export const refusals: readonly unknown[] = [ExpressionRefusal]
export const dictionary: readonly string[] = [
  'node',
  'node.status.capacity',
  "node.status.capacity['memory']",
  'node.status.allocatable.cpu',
  "node.metadata.labels['example.com/seats']",
  'node.metadata.?labels.?gone.orValue(',
  'node.spec.podCIDR',
  'quantity(',
  'isQuantity(',
  '.asInteger()',
  '.asApproximateFloat()',
  '.isInteger()',
  '.sign()',
  '.add(',
  '.sub(',
  '.compareTo(',
  '.isGreaterThan(',
  '.isLessThan(',
  'int(',
  'uint(',
  'double(',
  'string(',
  'size(',
  'has(',
  'type(',
  '.startsWith(',
  '.endsWith(',
  '.contains(',
  '.map(x, ',
  '.matches(',
  '? ',
  ' : ',
  '&&',
  '9223372036854775807',
  '18446744073709551615u',
  '-1',
  '1.5',
  '1e308',
  "'8Gi'",
  '[1, 2]',
  "{'a': 1}",
  'null',
]

/** An expression that gives a number. */
interface Evaluated {
  readonly evaluate: Arithmetic
  readonly number: number | bigint
}

export function parse(input: Uint8Array): Evaluated {
  const text = Buffer.from(input).toString()
  if (text.length > MAX_LENGTH) throw new ExpressionRefusal('too long')
  try {
    const evaluate = compileArithmetic(text)
    return { evaluate, number: evaluate(sampleNode) }
  } catch (error) {
    const isRefusal =
      error instanceof ExpressionError ||
      (error instanceof Error && /^(?:expression|the result of) /.test(error.message))
    if (isRefusal) throw new ExpressionRefusal(error.message)
    throw error
  }
}

export function verify({ evaluate, number }: Evaluated): void {
  const startedAt = performance.now()
  assert.equal(evaluate(sampleNode), number)
  assert.ok(performance.now() - startedAt < 100)
  assert.ok(typeof number === 'number' || typeof number === 'bigint')
}
