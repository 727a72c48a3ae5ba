import assert from 'node:assert/strict'
import { parseQuantity, QuantityError, type Quantity } from '../../src/index.ts'

export const contract: string =
  'The printed and the canonical text of a number below 10^21 parse to the same number and print the same again.'
export const refusals: readonly unknown[] = [QuantityError]
export const dictionary: readonly string[] = [
  'Ki',
  'Mi',
  'Ei',
  'E',
  'm',
  'n',
  'u',
  'k',
  'e',
  'e-',
  '.',
  '+',
  '-',
  '999999999999999999',
  '000',
]

export const parse = (input: Uint8Array): Quantity => parseQuantity(Buffer.from(input).toString())

/** Kubernetes prints numbers that are too large for its largest suffix without any. */
const ABOVE_SUFFIXES = parseQuantity('1000E')

export function verify(quantity: Quantity): void {
  const isPrintable = quantity.cmp(ABOVE_SUFFIXES) < 0 && quantity.neg().cmp(ABOVE_SUFFIXES) < 0
  for (const text of isPrintable ? [quantity.toString(), quantity.canonical()] : []) {
    const again = parseQuantity(text)
    assert.ok(again.equals(quantity), `${text} is another number`)
    assert.equal(again.toString(), text)
  }
  assert.equal(quantity.sign(), quantity.cmp(parseQuantity('0')))
  assert.ok(quantity.sub(quantity).isZero())
  assert.ok(quantity.roundUp(0).cmp(quantity) !== -quantity.sign() || quantity.isZero())
  const value: bigint = quantity.value()
  assert.equal(BigInt.asIntN(64, value), value)
}
