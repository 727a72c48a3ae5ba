import { Environment } from '@marcbachmann/cel-js'
import { registerListFunctions } from './list-functions.ts'
import { registerQuantities } from './quantity-functions.ts'
import { registerStringFunctions } from './string-functions.ts'

/** An expression may not be larger: what people write has some hundred nodes. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1000, maxMapEntries: 1000, maxCallArguments: 32 }

/**
 * CEL as Kubernetes has it, with these variables of unknown type. Of its libraries those for lists, strings, regular
 * expressions, URLs, optional values and quantities are there; addresses, versions and the authorizer are not.
 */
export function celEnvironment(variables: readonly string[]): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: LIMITS,
  })
  registerListFunctions(environment)
  registerStringFunctions(environment)
  registerQuantities(environment)
  for (const variable of variables) environment.registerVariable(variable, 'dyn')
  return environment
}
