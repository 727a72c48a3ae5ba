import type { LabelSelector } from '@berth/types'
import { CelError } from '../../schema/cel/expression.ts'
import { jsonToCel } from '../../schema/cel/to-cel.ts'
import { storageKey, type ApiObject } from '../../schema/json/api-object.ts'
import { listAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import { deniedByAdmission } from '../../schema/status/api-errors.ts'
import { labelTest } from '../../resources/selectors/label-selector.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { admissionRequestOf, namespaceObject, type Admission } from '../attributes/admission.ts'
import { isMeant } from '../attributes/match-rules.ts'

const GROUP = 'admissionregistration.k8s.io'

/** What expressions of policies can speak of. */
export const POLICY_VARIABLES: readonly string[] = [
  'object',
  'oldObject',
  'request',
  'params',
  'namespaceObject',
  'variables',
]

type Variables = Readonly<Record<string, unknown>>

/** Something a policy found. */
interface Finding {
  readonly reason: string
  readonly message: string
}

/**
 * Refuses what ValidatingAdmissionPolicies deny, warns where their bindings say so.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/policy/validating (v0.36)
 * @throws BERTH_SIMULATOR_REFUSED with the reason that the policy gives; 422 where it gives none
 */
export function validateByPolicies(context: ServerContext, request: ResourceRequest, admission: Admission): void {
  const bindings = context.store.collection(`${GROUP}/validatingadmissionpolicybindings`)
  if (bindings.size === 0 || request.kind.group === GROUP) return
  for (const binding of bindings.list()) {
    const policy = context.store
      .collection(`${GROUP}/validatingadmissionpolicies`)
      .get(stringAt(binding, 'spec', 'policyName'))
    if (policy === undefined) continue
    if (!isMeant(context, request, admission, objectAt(policy, 'spec', 'matchConstraints'), 'resourceRules')) continue
    if (!isMeant(context, request, admission, objectAt(binding, 'spec', 'matchResources'), 'resourceRules')) continue
    for (const finding of findings(context, { request, admission, policy, binding })) {
      act(request, admission, { policy, binding, finding })
    }
  }
}

interface Question {
  readonly request: ResourceRequest
  readonly admission: Admission
  readonly policy: ApiObject
  readonly binding: ApiObject
}

function findings(context: ServerContext, question: Question): readonly Finding[] {
  const { policy, request, admission } = question
  const fails = stringAt(policy, 'spec', 'failurePolicy') !== 'Ignore'
  const problem = (message: string): readonly Finding[] => (fails ? [{ reason: 'Invalid', message }] : [])
  const params = paramsOf(context, question)
  if (typeof params === 'string') return problem(`failed to configure binding: ${params}`)
  const { object, oldObject, ...about } = admissionRequestOf(request, admission)
  const shared = {
    object: jsonToCel(object),
    oldObject: jsonToCel(oldObject),
    request: jsonToCel(about),
    namespaceObject: jsonToCel(namespaceObject(context, request) ?? null),
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
      return problem(messageOf(error))
    }
    return listAt(policy, 'spec', 'validations').flatMap((validation) => {
      const expression = stringAt(validation, 'expression')
      try {
        if (evaluate(context, validation, 'expression', values) === true) return []
      } catch (error) {
        return problem(`expression '${expression}' resulted in error: ${messageOf(error)}`)
      }
      const message = spoken(context, validation, values) || stringAt(validation, 'message').trim()
      const reason = stringAt(validation, 'reason') || 'Invalid'
      return [{ reason, message: message === '' ? `failed expression: ${expression.trim()}` : message }]
    })
  })
}

// Variables have their values when they are asked for: an expression that does not need one does not fail by it.
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

function spoken(context: ServerContext, validation: unknown, values: Variables): string {
  if (stringAt(validation, 'messageExpression') === '') return ''
  try {
    const text = evaluate(context, validation, 'messageExpression', values)
    return typeof text === 'string' && !text.includes('\n') ? text.trim() : ''
  } catch (error) {
    if (error instanceof CelError) return ''
    throw error
  }
}

function messageOf(error: unknown): string {
  if (error instanceof CelError) return error.message
  throw error
}

/** The parameters that a binding names, `null` where the policy has none; a text says why there are none. */
function paramsOf(
  { kinds, store }: ServerContext,
  { policy, binding, request }: Question,
): readonly (ApiObject | null)[] | string {
  const wanted = own(objectAt(policy, 'spec'), 'paramKind')
  const reference = own(objectAt(binding, 'spec'), 'paramRef')
  if (wanted === undefined || reference === undefined) return [null]
  const [first = '', second] = stringAt(wanted, 'apiVersion').split('/')
  const [group, version] = second === undefined ? ['', first] : [first, second]
  const kind = kinds
    .all()
    .find((each) => each.group === group && each.version === version && each.kind === stringAt(wanted, 'kind'))
  if (kind === undefined) {
    return `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${stringAt(wanted, 'kind')}'`
  }
  const namespace = kind.namespaced ? stringAt(reference, 'namespace') || request.namespace : ''
  const name = stringAt(reference, 'name')
  const selector = own(reference, 'selector')
  const collection = store.collection(kind.storage)
  const found =
    name === ''
      ? collection
          .list()
          .filter(
            ({ metadata }) =>
              (namespace === '' || metadata.namespace === namespace) &&
              labelTest(selector as LabelSelector | undefined)(metadata.labels),
          )
      : [collection.get(storageKey(namespace, name))].filter((each) => each !== undefined)
  if (found.length > 0) return found
  return stringAt(reference, 'parameterNotFoundAction') === 'Allow'
    ? []
    : 'no params found for policy binding with `Deny` parameterNotFoundAction'
}

function act(
  request: ResourceRequest,
  admission: Admission,
  { policy, binding, finding }: { readonly policy: ApiObject; readonly binding: ApiObject; readonly finding: Finding },
): void {
  const actions = listAt(binding, 'spec', 'validationActions')
  const [policyName, bindingName] = [policy.metadata.name ?? '', binding.metadata.name ?? '']
  if (actions.includes('Warn')) {
    request.warn?.(
      `Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${finding.message}`,
    )
  }
  if (!actions.includes('Deny')) return
  const name = (admission.object ?? admission.old)?.metadata.name ?? request.name
  throw deniedByAdmission(request.kind, name, {
    reason: finding.reason,
    why: `ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}' denied request: ${finding.message}`,
  })
}
