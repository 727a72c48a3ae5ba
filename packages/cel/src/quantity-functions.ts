import { parseQuantity, type Quantity } from '@berth/resources'
import type { Environment } from '@marcbachmann/cel-js'
import { CelValueError } from './cel-value-error.ts'

/** A quantity inside a CEL expression. */
export class CelQuantity {
  readonly quantity: Quantity
  constructor(quantity: Quantity) {
    this.quantity = quantity
  }
}

/**
 * Registers Kubernetes' quantity type and functions: `quantity`, `isQuantity`, comparison, `add`, `sub`, `sign` and the
 * conversions to numbers. Mirrors k8s.io/apiserver/pkg/cel/library/quantity.go (v1.36).
 */
export function registerQuantityFunctions(environment: Environment): void {
  environment
    .registerType('Quantity', { ctor: CelQuantity, fields: {} })
    .registerFunction('quantity(string): Quantity', parseCelQuantity)
    .registerFunction('isQuantity(string): bool', isQuantity)
    .registerFunction(
      'Quantity.isGreaterThan(Quantity): bool',
      (a: CelQuantity, b: CelQuantity) => compareQuantities(a, b) > 0,
    )
    .registerFunction(
      'Quantity.isLessThan(Quantity): bool',
      (a: CelQuantity, b: CelQuantity) => compareQuantities(a, b) < 0,
    )
    .registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) =>
      BigInt(compareQuantities(a, b)),
    )
    .registerFunction(
      'Quantity.add(Quantity): Quantity',
      (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.quantity.add(b.quantity)),
    )
    .registerFunction(
      'Quantity.add(int): Quantity',
      (a: CelQuantity, b: bigint) => new CelQuantity(a.quantity.add(parseQuantity(String(b)))),
    )
    .registerFunction(
      'Quantity.sub(Quantity): Quantity',
      (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.quantity.sub(b.quantity)),
    )
    .registerFunction(
      'Quantity.sub(int): Quantity',
      (a: CelQuantity, b: bigint) => new CelQuantity(a.quantity.sub(parseQuantity(String(b)))),
    )
    .registerFunction('Quantity.sign(): int', ({ quantity }: CelQuantity) => BigInt(quantity.sign()))
    .registerFunction('Quantity.isInteger(): bool', isInteger)
    .registerFunction('Quantity.asInteger(): int', (a: CelQuantity) => {
      if (isInteger(a)) return a.quantity.value()
      throw new CelValueError('cannot convert value to integer')
    })
    .registerFunction('Quantity.asApproximateFloat(): double', ({ quantity }: CelQuantity) =>
      quantity.asApproximateFloat(),
    )
}

function isInteger({ quantity }: CelQuantity): boolean {
  return quantity.milliValue() % 1000n === 0n
}

function compareQuantities(a: CelQuantity, b: CelQuantity): number {
  return a.quantity.cmp(b.quantity)
}

function parseCelQuantity(text: string): CelQuantity {
  try {
    return new CelQuantity(parseQuantity(text))
  } catch {
    throw new CelValueError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    )
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text)
    return true
  } catch {
    return false
  }
}
