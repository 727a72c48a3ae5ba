/**
 * An int64 number of units: a `number` when it is a safe integer, else a `bigint`. Equal values therefore always have
 * the same type, and `<` and `>` compare the two types exactly.
 */
export type Amount = number | bigint

/** Converts an int64 to an amount. */
export function toAmount(value: bigint): Amount {
  const rounded = Number(value)
  return Number.isSafeInteger(rounded) ? rounded : value
}

/** Returns the sum, wrapped to int64 as in Go. */
export function addAmounts(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return toAmount(BigInt.asIntN(64, BigInt(a) + BigInt(b)))
}

/** Returns the difference, wrapped to int64 as in Go, so that a negative allocatable can leave a large free amount. */
export function subtractAmounts(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return toAmount(BigInt.asIntN(64, BigInt(a) - BigInt(b)))
}
