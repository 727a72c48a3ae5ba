/**
 * A whole number of units in int64: a `number` whenever it is a safe integer, a `bigint` only beyond. The form is
 * thus determined by the value, and `<`, `>` compare the two kinds exactly.
 */
export type Amount = number | bigint

/** The amount of an int64. */
export function toAmount(value: bigint): Amount {
  const rounded = Number(value)
  return Number.isSafeInteger(rounded) ? rounded : value
}

/** Sum, wrapped to int64 as Go does it. */
export function addAmounts(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return toAmount(BigInt.asIntN(64, BigInt(a) + BigInt(b)))
}

/** Difference, wrapped to int64 as Go does it: of a negative offer much may be left. */
export function subtractAmounts(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return toAmount(BigInt.asIntN(64, BigInt(a) - BigInt(b)))
}
