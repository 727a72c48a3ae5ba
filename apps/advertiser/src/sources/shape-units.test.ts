import { describe, expect, test } from 'vitest'
import type { UnitsShape } from '../plan/declaration.ts'
import { shapeUnits } from './shape-units.ts'

const plain: UnitsShape = { step: 1n, rounding: 'down' }
const units = (value: number | bigint, shape: Partial<UnitsShape> = {}, added?: bigint) => {
  const shaped = shapeUnits(value, { ...plain, ...shape }, added)
  return shaped.kind === 'units' ? shaped.units : shaped.reason
}

describe('shapeUnits reads', () => {
  test.for([
    { value: 4, gives: 4n },
    { value: 4n, gives: 4n },
    { value: 1e-7, gives: 0n },
    { value: 1e21, shape: { max: 7n }, gives: 7n },
    { value: 2n ** 63n - 1n, gives: 2n ** 63n - 1n },
  ])('$value as $gives', ({ value, shape, gives }) => {
    expect(units(value, shape)).toBe(gives)
  })

  test.for([
    { value: NaN, says: 'is not finite' },
    { value: Infinity, says: 'is not finite' },
    { value: -1, says: 'is negative' },
    { value: -0.5, says: 'is negative' },
    { value: 2n ** 63n, says: 'is more than 2^63-1' },
    { value: 1e300, says: 'is more than 2^63-1' },
  ])('no units from $value, which $says', ({ value, says }) => {
    expect(units(value)).toBe(says)
  })
})

test.for([
  { value: 7.9, rounding: 'down', step: 1n, gives: 7n },
  { value: 7.1, rounding: 'up', step: 1n, gives: 8n },
  { value: 7.5, rounding: 'nearest', step: 1n, gives: 8n },
  { value: 7.4, rounding: 'nearest', step: 1n, gives: 7n },
  { value: 0.1 + 0.2, rounding: 'up', step: 1n, gives: 1n },
  { value: 17, rounding: 'down', step: 5n, gives: 15n },
  { value: 17, rounding: 'up', step: 5n, gives: 20n },
  { value: 17.5, rounding: 'nearest', step: 5n, gives: 20n },
  { value: 17.4, rounding: 'nearest', step: 5n, gives: 15n },
  { value: 15, rounding: 'up', step: 5n, gives: 15n },
  { value: 1_073_741_824n, rounding: 'down', step: 1_000_000n, gives: 1_073_000_000n },
] as const)('shapeUnits rounds $value $rounding to a multiple of $step', ({ value, rounding, step, gives }) => {
  expect(units(value, { rounding, step })).toBe(gives)
})

describe('shapeUnits keeps bounds', () => {
  test.for([
    { value: 3, shape: { min: 4n }, gives: 4n },
    { value: -7.5, shape: { min: 0n }, gives: 0n },
    { value: -7.5, shape: { min: 0n, rounding: 'up' }, gives: 0n },
    { value: 9, shape: { max: 8n }, gives: 8n },
    { value: 7.2, shape: { max: 7n, rounding: 'up' }, gives: 7n },
    { value: 5, shape: { min: 4n, max: 8n }, gives: 5n },
  ] as const)('$shape for $value', ({ value, shape, gives }) => {
    expect(units(value, shape)).toBe(gives)
  })

  test('after it has added what pods hold', () => {
    expect(units(2.5, { max: 6n }, 3n)).toBe(5n)
    expect(units(2.5, { max: 4n }, 3n)).toBe(4n)
    expect(units(1.5, { step: 2n }, 3n)).toBe(4n)
  })
})
