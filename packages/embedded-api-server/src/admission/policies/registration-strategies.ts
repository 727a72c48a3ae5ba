import { CelError, compileExpression } from '../../schema/cel/expression.ts'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { isObject, listAt, objectAt, own, stringAt, withField, type JsonObject } from '../../schema/json/json-object.ts'
import { updateStatusOnly } from '../../resources/kinds/status-update.ts'
import type { Strategy } from '../../resources/kinds/strategy.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { POLICY_VARIABLES } from './validate-by-policies.ts'

const MATCH_DEFAULTS = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }

function withDefaultScopes(holder: JsonObject, key: string): JsonObject {
  const rules = own(holder, key)
  if (!Array.isArray(rules)) return holder
  return withField(
    holder,
    key,
    rules.map((rule: unknown) => (isObject(rule) ? { scope: '*', ...rule } : rule)),
  )
}

function withMatchDefaults(match: JsonObject): JsonObject {
  return { ...MATCH_DEFAULTS, ...withDefaultScopes(withDefaultScopes(match, 'resourceRules'), 'excludeResourceRules') }
}

const NO_VALIDATIONS = 'validations or auditAnnotations must contain at least one item'

/** Write rules of ValidatingAdmissionPolicies: expressions must compile. */
export const policyStrategy: Strategy = {
  defaults(policy) {
    const spec = { failurePolicy: 'Fail', ...objectAt(policy, 'spec') }
    const match = own(spec, 'matchConstraints')
    return { ...policy, spec: isObject(match) ? { ...spec, matchConstraints: withMatchDefaults(match) } : spec }
  },
  prepareCreate: (policy) => ({ ...policy, status: {} }),
  prepareStatusUpdate: updateStatusOnly,
  validate(policy, _, isStatus) {
    if (isStatus) return []
    const spec = objectAt(policy, 'spec')
    const validations = listAt(spec, 'validations')
    return [
      ...(validations.length === 0 && listAt(spec, 'auditAnnotations').length === 0
        ? ['validations', 'auditAnnotations'].map((key) => fieldError.required(`spec.${key}`, NO_VALIDATIONS))
        : []),
      ...(isObject(own(spec, 'matchConstraints')) ? [] : [fieldError.required('spec.matchConstraints')]),
      ...(own(spec, 'matchConstraints') !== undefined && listAt(spec, 'matchConstraints', 'resourceRules').length === 0
        ? [fieldError.required('spec.matchConstraints.resourceRules')]
        : []),
      ...validateExpressions(spec, 'variables'),
      ...validateExpressions(spec, 'matchConditions'),
      ...validateExpressions(spec, 'validations'),
    ]
  },
}

function validateExpressions(spec: JsonObject, key: string): readonly StatusCause[] {
  return listAt(spec, key).flatMap((each, i) => {
    const field = `spec.${key}[${i}].expression`
    const text = stringAt(each, 'expression')
    if (text.trim() === '') return [fieldError.required(field, 'expression is not specified')]
    try {
      compileExpression(text, POLICY_VARIABLES)
      return []
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      return [fieldError.invalid(field, text, error.message)]
    }
  })
}

const VALIDATION_ACTIONS = ['Audit', 'Deny', 'Warn']

/** Write rules of ValidatingAdmissionPolicyBindings: they need a policy name and at least one action. */
export const policyBindingStrategy: Strategy = {
  defaults(binding) {
    const match = own(objectAt(binding, 'spec'), 'matchResources')
    if (!isObject(match)) return binding
    return { ...binding, spec: { ...objectAt(binding, 'spec'), matchResources: withMatchDefaults(match) } }
  },
  validate(binding) {
    const actions = listAt(binding, 'spec', 'validationActions')
    return [
      ...(stringAt(binding, 'spec', 'policyName') === '' ? [fieldError.required('spec.policyName')] : []),
      ...(actions.length === 0 ? [fieldError.required('spec.validationActions')] : []),
      ...actions.flatMap((action, i) =>
        VALIDATION_ACTIONS.includes(String(action))
          ? []
          : [fieldError.notSupported(`spec.validationActions[${i}]`, action, VALIDATION_ACTIONS)],
      ),
    ]
  },
}

/** Returns the write rules of mutating or validating webhook configurations. */
export function webhookStrategy(isMutating: boolean): Strategy {
  return {
    defaults: (configuration: ApiObject) => ({
      ...configuration,
      ...(own(configuration, 'webhooks') === undefined
        ? {}
        : {
            webhooks: listAt(configuration, 'webhooks').map((hook) => ({
              failurePolicy: 'Fail',
              ...MATCH_DEFAULTS,
              timeoutSeconds: 10,
              ...(isMutating ? { reinvocationPolicy: 'Never' } : {}),
              ...(isObject(hook) ? withDefaultScopes(hook, 'rules') : {}),
              clientConfig: withDefaultPort(objectAt(hook, 'clientConfig')),
            })),
          }),
    }),
    validate: (configuration) =>
      listAt(configuration, 'webhooks').flatMap((hook, i) => validateWebhook(hook, `webhooks[${i}]`)),
  }
}

function withDefaultPort(config: JsonObject): JsonObject {
  const service = own(config, 'service')
  return isObject(service) ? { ...config, service: { port: 443, ...service } } : config
}

function validateWebhook(hook: unknown, path: string): readonly StatusCause[] {
  const effects = stringAt(hook, 'sideEffects')
  const versions = listAt(hook, 'admissionReviewVersions')
  const url = stringAt(hook, 'clientConfig', 'url')
  const hasService = isObject(own(objectAt(hook, 'clientConfig'), 'service'))
  const seconds = own(hook, 'timeoutSeconds')
  return [
    ...(versions.length === 0
      ? [fieldError.required(`${path}.admissionReviewVersions`, 'must specify one of v1, v1beta1')]
      : []),
    ...(typeof seconds === 'number' && (seconds < 1 || seconds > 30)
      ? [fieldError.invalid(`${path}.timeoutSeconds`, seconds, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...(effects === ''
      ? [fieldError.required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun')]
      : ['None', 'NoneOnDryRun'].includes(effects)
        ? []
        : [fieldError.notSupported(`${path}.sideEffects`, effects, ['None', 'NoneOnDryRun'])]),
    ...((url === '') === hasService
      ? []
      : [fieldError.required(`${path}.clientConfig`, 'exactly one of url or service is required')]),
  ]
}
