import { registerQuantityFunctions } from '@berth/cel'
import { Environment } from '@marcbachmann/cel-js'
import { registerListFunctions } from './list-functions.ts'
import { registerStringFunctions } from './string-functions.ts'

/** Limits on the size of an expression. Expressions in practice have some hundred nodes. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1000, maxMapEntries: 1000, maxCallArguments: 32 }

/**
 * Returns a CEL environment with Kubernetes' libraries for lists, strings, regular expressions, URLs, optional values
 * and quantities. The libraries for IP addresses, versions and the authorizer are not supported.
 *
 * @param variables - Names of the variables that expressions may use; their types are unknown (`dyn`).
 */
export function createCelEnvironment(variables: readonly string[]): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: LIMITS,
  })
  registerListFunctions(environment)
  registerStringFunctions(environment)
  registerQuantityFunctions(environment)
  for (const variable of variables) environment.registerVariable(variable, 'dyn')
  return environment
}
