import { Environment } from '@marcbachmann/cel-js'

/** The spec of a ValidatingAdmissionPolicy, with the fields that the tests read. */
export interface Policy {
  readonly matchConditions: readonly { readonly expression: string }[]
  readonly variables: readonly { readonly name: string; readonly expression: string }[]
  readonly validations: readonly {
    readonly expression: string
    readonly message?: string
    readonly messageExpression?: string
  }[]
}

/** A write, as the API server shows it to a policy. */
export interface PolicyInput {
  /** null for a new object. */
  readonly oldObject: object | null
  /** null for a deletion. */
  readonly object: object | null
  readonly request: object
  /** The parameter object of the binding. */
  readonly params?: object | undefined
}

const cel = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true })
  // Functions of Kubernetes' own CEL library. The patterns mean the same in Go's and JavaScript's regular expressions.
  .registerFunction(
    'string.find(string): string',
    (text: string, pattern: string) => new RegExp(pattern).exec(text)?.[0] ?? '',
  )
  .registerFunction(
    'string.findAll(string): list<string>',
    (text: string, pattern: string) => text.match(new RegExp(pattern, 'g')) ?? [],
  )

/**
 * Returns the API server's answer to a write: the message of the first violated rule, or undefined if it is allowed.
 *
 * @param given - Values of variables that only an API server can evaluate, such as those that use its authorizer.
 */
export function policyRefusal(
  { variables, validations }: Policy,
  input: PolicyInput,
  given: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const known: Record<string, unknown> = { ...given }
  const context = { ...input, variables: known }
  for (const { name, expression } of variables) {
    if (!Object.hasOwn(given, name)) known[name] = cel.evaluate(expression, context)
  }
  const violated = validations.find(({ expression }) => cel.evaluate(expression, context) !== true)
  return violated && (violated.message ?? String(cel.evaluate(violated.messageExpression ?? '', context)))
}

/** Returns whether a policy applies to the requests of a user. */
export function matchesUser({ matchConditions }: Policy, username: string): boolean {
  return matchConditions.every(
    ({ expression }) => cel.evaluate(expression, { request: { userInfo: { username } } }) === true,
  )
}
