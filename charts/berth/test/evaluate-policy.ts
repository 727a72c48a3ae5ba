import { Environment } from '@marcbachmann/cel-js'

/** The spec of a ValidatingAdmissionPolicy, with the fields that the tests read. */
export interface Policy {
  readonly matchConditions: readonly { readonly expression: string }[]
  readonly variables: readonly { readonly name: string; readonly expression: string }[]
  readonly validations: readonly { readonly expression: string; readonly message: string }[]
}

/** A change of an object, as the API server shows it to a policy. */
export interface PolicyInput {
  readonly oldObject: object
  readonly object: object
  readonly fieldManager: string
  /** The parameter object of the binding. */
  readonly params?: object | undefined
  /** What the token of the caller says beside its name. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined
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

/** Returns the API server's answer to a change: the message of the first violated rule, or undefined if it is allowed. */
export function policyRefusal(
  { variables, validations }: Policy,
  { oldObject, object, fieldManager, params, extra }: PolicyInput,
): string | undefined {
  const request = { options: { fieldManager }, userInfo: extra === undefined ? {} : { extra } }
  const known: Record<string, unknown> = {}
  for (const { name, expression } of variables) {
    known[name] = cel.evaluate(expression, { object, oldObject, request, params, variables: known })
  }
  const context = { object, oldObject, request, params, variables: known }
  return validations.find(({ expression }) => cel.evaluate(expression, context) !== true)?.message
}

/** Returns whether a policy applies to the requests of a user. */
export function matchesUser({ matchConditions }: Policy, username: string): boolean {
  return matchConditions.every(
    ({ expression }) => cel.evaluate(expression, { request: { userInfo: { username } } }) === true,
  )
}
