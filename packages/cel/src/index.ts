/** Kubernetes' functions on quantities for the expression language CEL. */
export { CelQuantity, registerQuantityFunctions } from './quantity-functions.ts'
export { CelValueError } from './cel-value-error.ts'
