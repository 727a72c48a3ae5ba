import { parseQuantity, type Quantity } from '@berth/resources'
import { MAX_UNITS, type UnitsShape } from '../plan/declaration.ts'

/** Units, or the reason why a source's number gives none: a phrase that follows "which". */
export type ShapedUnits =
  | { readonly kind: 'units'; readonly units: bigint }
  | { readonly kind: 'invalid'; readonly reason: string }

/**
 * Turns the number of a source into units: rounds it to a multiple of the step and keeps it within the bounds.
 *
 * @param added - Units to add before rounding, such as those that pods hold. Default: 0.
 */
export function shapeUnits(value: number | bigint, shape: UnitsShape, added = 0n): ShapedUnits {
  if (typeof value === 'number' && !Number.isFinite(value)) return { kind: 'invalid', reason: 'is not finite' }
  const amount = toQuantity(value)
  if (amount.sign() < 0 && shape.min === undefined) return { kind: 'invalid', reason: 'is negative' }
  const { min, max = MAX_UNITS } = shape
  const rounded = roundToStep(amount.add(parseQuantity(String(added))), shape)
  const raised = min !== undefined && rounded < min ? min : rounded
  if (raised > MAX_UNITS && shape.max === undefined) return { kind: 'invalid', reason: 'is more than 2^63-1' }
  return { kind: 'units', units: raised > max ? max : raised }
}

/** Reads a finite number with the digits that JavaScript prints for it. */
function toQuantity(value: number | bigint): Quantity {
  return parseQuantity(Number.isInteger(value) ? String(BigInt(value)) : String(value))
}

function roundToStep({ unscaled, exponent }: Quantity, { step, rounding }: UnitsShape): bigint {
  const scale = 10n ** BigInt(Math.abs(exponent))
  const numerator = exponent > 0 ? unscaled * scale : unscaled
  const denominator = exponent < 0 ? step * scale : step
  switch (rounding) {
    case 'down':
      return floorDivide(numerator, denominator) * step
    case 'up':
      return -floorDivide(-numerator, denominator) * step
    case 'nearest':
      return floorDivide(2n * numerator + denominator, 2n * denominator) * step
  }
}

/** Divides by a positive number and rounds towards negative infinity; bigint division rounds towards zero. */
function floorDivide(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient
}
