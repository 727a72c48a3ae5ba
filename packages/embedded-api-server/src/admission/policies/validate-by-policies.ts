import type { LabelSelector } from '@berth/types'
import { CelError } from '../../schema/cel/expression.ts'
import { jsonToCel } from '../../schema/cel/to-cel.ts'
import { storageKey, type ApiObject } from '../../schema/json/api-object.ts'
import { listAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import { deniedByAdmission } from '../../schema/status/api-errors.ts'
import { labelMatcher } from '../../resources/selectors/label-selector.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { createAdmissionRequest, namespaceOf, type Admission } from '../attributes/admission.ts'
import { matchesRequest } from '../attributes/match-rules.ts'

const GROUP = 'admissionregistration.k8s.io'

/** The variables of policy expressions. */
export const POLICY_VARIABLES: readonly string[] = [
  'object',
  'oldObject',
  'request',
  'params',
  'namespaceObject',
  'variables',
]

type Variables = Readonly<Record<string, unknown>>

/** A failed validation of a policy, or a failed evaluation. */
interface PolicyViolation {
  readonly reason: string
  readonly message: string
}

/**
 * Evaluates the ValidatingAdmissionPolicies for a request. Warns or refuses as their bindings say.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/policy/validating (v0.36)
 * @throws BERTH_SIMULATOR_REFUSED with the policy's reason; 422 if it has none.
 */
export function validateByPolicies(context: ServerContext, request: ResourceRequest, admission: Admission): void {
  const bindings = context.store.collection(`${GROUP}/validatingadmissionpolicybindings`)
  if (bindings.size === 0 || request.kind.group === GROUP) return
  for (const binding of bindings.list()) {
    const policy = context.store
      .collection(`${GROUP}/validatingadmissionpolicies`)
      .get(stringAt(binding, 'spec', 'policyName'))
    if (policy === undefined) continue
    if (!matchesRequest(context, request, admission, objectAt(policy, 'spec', 'matchConstraints'), 'resourceRules'))
      continue
    if (!matchesRequest(context, request, admission, objectAt(binding, 'spec', 'matchResources'), 'resourceRules'))
      continue
    for (const violation of evaluatePolicy(context, { request, admission, policy, binding })) {
      enforce(request, admission, { policy, binding, violation })
    }
  }
}

/** One evaluation of a policy: for one request, under one binding. */
interface PolicyEvaluation {
  readonly request: ResourceRequest
  readonly admission: Admission
  readonly policy: ApiObject
  readonly binding: ApiObject
}

function evaluatePolicy(context: ServerContext, evaluation: PolicyEvaluation): readonly PolicyViolation[] {
  const { policy, request, admission } = evaluation
  const failsClosed = stringAt(policy, 'spec', 'failurePolicy') !== 'Ignore'
  const evaluationFailure = (message: string): readonly PolicyViolation[] =>
    failsClosed ? [{ reason: 'Invalid', message }] : []
  const params = resolveParams(context, evaluation)
  if (typeof params === 'string') return evaluationFailure(`failed to configure binding: ${params}`)
  const { object, oldObject, ...about } = createAdmissionRequest(request, admission)
  const shared = {
    object: jsonToCel(object),
    oldObject: jsonToCel(oldObject),
    request: jsonToCel(about),
    namespaceObject: jsonToCel(namespaceOf(context, request) ?? null),
  }
  return params.flatMap((param) => {
    const values: Variables = withVariables(context, { ...shared, params: jsonToCel(param) }, policy)
    try {
      if (
        !listAt(policy, 'spec', 'matchConditions').every(
          (each) => evaluate(context, each, 'expression', values) === true,
        )
      )
        return []
    } catch (error) {
      return evaluationFailure(celErrorText(error))
    }
    return listAt(policy, 'spec', 'validations').flatMap((validation) => {
      const expression = stringAt(validation, 'expression')
      try {
        if (evaluate(context, validation, 'expression', values) === true) return []
      } catch (error) {
        return evaluationFailure(`expression '${expression}' resulted in error: ${celErrorText(error)}`)
      }
      const message = evaluateMessage(context, validation, values) || stringAt(validation, 'message').trim()
      const reason = stringAt(validation, 'reason') || 'Invalid'
      return [{ reason, message: message === '' ? `failed expression: ${expression.trim()}` : message }]
    })
  })
}

// Variables are evaluated lazily, as upstream does: an expression does not fail because of a variable that it does not use.
function withVariables(context: ServerContext, shared: Variables, policy: ApiObject): Variables {
  const variables: Record<string, unknown> = {}
  const values = { ...shared, variables }
  for (const variable of listAt(policy, 'spec', 'variables')) {
    Object.defineProperty(variables, stringAt(variable, 'name'), {
      enumerable: true,
      get: () => evaluate(context, variable, 'expression', values),
    })
  }
  return values
}

function evaluate({ expressionOf }: ServerContext, holder: unknown, key: string, values: Variables): unknown {
  return expressionOf(holder, key, POLICY_VARIABLES).evaluate(values)
}

function evaluateMessage(context: ServerContext, validation: unknown, values: Variables): string {
  if (stringAt(validation, 'messageExpression') === '') return ''
  try {
    const text = evaluate(context, validation, 'messageExpression', values)
    return typeof text === 'string' && !text.includes('\n') ? text.trim() : ''
  } catch (error) {
    if (error instanceof CelError) return ''
    throw error
  }
}

function celErrorText(error: unknown): string {
  if (error instanceof CelError) return error.message
  throw error
}

/**
 * Returns the parameter objects of a binding, or `[null]` if the policy takes no parameters. A string result is the
 * error message of a binding whose parameters cannot be resolved.
 */
function resolveParams(
  { kinds, store }: ServerContext,
  { policy, binding, request }: PolicyEvaluation,
): readonly (ApiObject | null)[] | string {
  const paramKind = own(objectAt(policy, 'spec'), 'paramKind')
  const paramRef = own(objectAt(binding, 'spec'), 'paramRef')
  if (paramKind === undefined || paramRef === undefined) return [null]
  const [first = '', second] = stringAt(paramKind, 'apiVersion').split('/')
  const [group, version] = second === undefined ? ['', first] : [first, second]
  const kind = kinds
    .all()
    .find((each) => each.group === group && each.version === version && each.kind === stringAt(paramKind, 'kind'))
  if (kind === undefined) {
    return `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${stringAt(paramKind, 'kind')}'`
  }
  const namespace = kind.namespaced ? stringAt(paramRef, 'namespace') || request.namespace : ''
  const name = stringAt(paramRef, 'name')
  const selector = own(paramRef, 'selector')
  const collection = store.collection(kind.storage)
  const found =
    name === ''
      ? collection
          .list()
          .filter(
            ({ metadata }) =>
              (namespace === '' || metadata.namespace === namespace) &&
              labelMatcher(selector as LabelSelector | undefined)(metadata.labels),
          )
      : [collection.get(storageKey(namespace, name))].filter((each) => each !== undefined)
  if (found.length > 0) return found
  return stringAt(paramRef, 'parameterNotFoundAction') === 'Allow'
    ? []
    : 'no params found for policy binding with `Deny` parameterNotFoundAction'
}

function enforce(
  request: ResourceRequest,
  admission: Admission,
  {
    policy,
    binding,
    violation,
  }: { readonly policy: ApiObject; readonly binding: ApiObject; readonly violation: PolicyViolation },
): void {
  const actions = listAt(binding, 'spec', 'validationActions')
  const [policyName, bindingName] = [policy.metadata.name ?? '', binding.metadata.name ?? '']
  if (actions.includes('Warn')) {
    request.warn?.(
      `Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${violation.message}`,
    )
  }
  if (!actions.includes('Deny')) return
  const name = (admission.object ?? admission.old)?.metadata.name ?? request.name
  throw deniedByAdmission(request.kind, name, {
    reason: violation.reason,
    why: `ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}' denied request: ${violation.message}`,
  })
}
