import { isObject, listAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { validateLabelSelector, validateMatchExpressions } from './validate-label-selector.ts'
import { dnsSubdomain, qualifiedName } from '../../schema/name-rules.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/**
 * Returns the errors of the `affinity` of a pod spec.
 *
 * @see kubernetes pkg/apis/core/validation validateAffinity (v1.36)
 */
export function validateAffinity(spec: unknown, path: string): readonly StatusCause[] {
  const affinity = objectAt(spec, 'affinity')
  return [
    ...validateNodeAffinity(own(affinity, 'nodeAffinity'), `${path}.affinity.nodeAffinity`),
    ...['podAffinity', 'podAntiAffinity'].flatMap((key) =>
      validatePodAffinity(own(affinity, key), `${path}.affinity.${key}`),
    ),
  ]
}

function validateNodeAffinity(affinity: unknown, path: string): readonly StatusCause[] {
  const required = own(affinity, REQUIRED)
  const terms = listAt(required, 'nodeSelectorTerms')
  const field = `${path}.${REQUIRED}.nodeSelectorTerms`
  return [
    ...(isObject(required) && terms.length === 0
      ? [fieldError.required(field, 'must have at least one node selector term')]
      : []),
    ...terms.flatMap((term, i) => validateNodeSelectorTerm(term, `${field}[${i}]`)),
    ...listAt(affinity, PREFERRED).flatMap((each, i) => [
      ...validateWeight(each, `${path}.${PREFERRED}[${i}]`),
      ...validateNodeSelectorTerm(own(each, 'preference'), `${path}.${PREFERRED}[${i}].preference`),
    ]),
  ]
}

function validateNodeSelectorTerm(term: unknown, path: string): readonly StatusCause[] {
  return [...validateMatchExpressions(term, path, true), ...validateMatchFields(term, path)]
}

// `metadata.name` is the only field that nodes can be selected by.
function validateMatchFields(term: unknown, path: string): readonly StatusCause[] {
  return listAt(term, 'matchFields').flatMap((requirement, i) => {
    const field = `${path}.matchFields[${i}]`
    const [operator, key] = [stringAt(requirement, 'operator'), stringAt(requirement, 'key')]
    const values = listAt(requirement, 'values').map(String)
    const one = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    return [
      ...(operator !== 'In' && operator !== 'NotIn'
        ? [fieldError.invalid(`${field}.operator`, operator, 'not a valid selector operator')]
        : values.length === 1
          ? []
          : [fieldError.required(`${field}.values`, one)]),
      ...(key === 'metadata.name'
        ? values.flatMap((value, j) =>
            dnsSubdomain(value).map((why) => fieldError.invalid(`${field}.values[${j}]`, value, why)),
          )
        : [fieldError.invalid(`${field}.key`, key, 'not a valid field selector key')]),
    ]
  })
}

function validatePodAffinity(affinity: unknown, path: string): readonly StatusCause[] {
  return [
    ...listAt(affinity, REQUIRED).flatMap((term, i) => validatePodAffinityTerm(term, `${path}.${REQUIRED}[${i}]`)),
    ...listAt(affinity, PREFERRED).flatMap((each, i) => [
      ...validateWeight(each, `${path}.${PREFERRED}[${i}]`),
      ...validatePodAffinityTerm(own(each, 'podAffinityTerm'), `${path}.${PREFERRED}[${i}].podAffinityTerm`),
    ]),
  ]
}

function validatePodAffinityTerm(term: unknown, path: string): readonly StatusCause[] {
  const key = stringAt(term, 'topologyKey')
  const field = `${path}.topologyKey`
  return [
    ...['labelSelector', 'namespaceSelector'].flatMap((selector) =>
      validateLabelSelector(own(term, selector), `${path}.${selector}`),
    ),
    ...(key === '' ? [fieldError.required(field, 'can not be empty')] : []),
    ...qualifiedName(key).map((why) => fieldError.invalid(field, key, why)),
  ]
}

function validateWeight(each: unknown, path: string): readonly StatusCause[] {
  const weight = own(each, 'weight')
  return typeof weight === 'number' && weight >= 1 && weight <= 100
    ? []
    : [fieldError.invalid(`${path}.weight`, weight ?? 0, 'must be in the range 1-100')]
}
