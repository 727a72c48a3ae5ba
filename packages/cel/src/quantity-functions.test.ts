import { Environment } from '@marcbachmann/cel-js'
import { describe, expect, test } from 'vitest'
import { CelQuantity, registerQuantityFunctions } from './quantity-functions.ts'

const environment = new Environment()
registerQuantityFunctions(environment)

describe('quantities in CEL', () => {
  test.for([
    { expression: "quantity('8Gi').asInteger() / 4", gives: 2_147_483_648n },
    { expression: "quantity('8Gi').sub(quantity('6Gi')).asInteger()", gives: 2_147_483_648n },
    { expression: "quantity('2').add(1).sub(5).asInteger()", gives: -2n },
    { expression: "quantity('1500m').asApproximateFloat()", gives: 1.5 },
    { expression: "quantity('-2').sign()", gives: -1n },
    { expression: "quantity('1k').isGreaterThan(quantity('999'))", gives: true },
    { expression: "quantity('1k').isLessThan(quantity('999'))", gives: false },
    { expression: "quantity('1k').compareTo(quantity('1000'))", gives: 0n },
    { expression: "quantity('1500m').isInteger()", gives: false },
    { expression: "isQuantity('8Gi') && !isQuantity('many')", gives: true },
  ])('$expression is $gives', ({ expression, gives }) => {
    expect(environment.evaluate(expression)).toBe(gives)
  })

  test('print as they were written', () => {
    const value: unknown = environment.evaluate("quantity('8Gi')")
    expect(value instanceof CelQuantity && value.quantity.toString()).toBe('8Gi')
  })

  test.for([
    { expression: "quantity('many')", says: 'quantities must match the regular expression' },
    { expression: "quantity('1500m').asInteger()", says: 'cannot convert value to integer' },
  ])('$expression fails', ({ expression, says }) => {
    expect(() => environment.evaluate(expression) as unknown).toThrow(says)
  })
})
