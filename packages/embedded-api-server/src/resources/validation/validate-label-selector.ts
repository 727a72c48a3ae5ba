import { listAt, objectAt, stringAt } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { validateLabels } from './validate-metadata.ts'
import { qualifiedName } from '../../schema/name-rules.ts'

/**
 * Returns the errors of a label selector.
 *
 * @see k8s.io/apimachinery pkg/apis/meta/v1/validation ValidateLabelSelector (v0.36)
 */
export function validateLabelSelector(selector: unknown, path: string): readonly StatusCause[] {
  const labels = objectAt(selector, 'matchLabels') as Readonly<Record<string, string>>
  return [...validateLabels(labels, `${path}.matchLabels`), ...validateMatchExpressions(selector, path)]
}

/** Returns the errors of the `matchExpressions` of a selector. Only node selectors compare numbers, by `Gt` and `Lt`. */
export function validateMatchExpressions(selector: unknown, path: string, hasNumbers = false): readonly StatusCause[] {
  return listAt(selector, 'matchExpressions').flatMap((requirement, i) => {
    const field = `${path}.matchExpressions[${i}]`
    const key = stringAt(requirement, 'key')
    return [
      ...validateOperator(requirement, field, hasNumbers),
      ...qualifiedName(key).map((why) => fieldError.invalid(`${field}.key`, key, why)),
    ]
  })
}

function validateOperator(requirement: unknown, path: string, hasNumbers: boolean): readonly StatusCause[] {
  const operator = stringAt(requirement, 'operator')
  const { length } = listAt(requirement, 'values')
  const field = `${path}.values`
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be specified when `operator` is 'In' or 'NotIn'"
    return length > 0 ? [] : [fieldError.required(field, why)]
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
    return length === 0 ? [] : [fieldError.forbidden(field, why)]
  }
  if (hasNumbers && (operator === 'Gt' || operator === 'Lt')) {
    const why = "must be specified single value when `operator` is 'Lt' or 'Gt'"
    return length === 1 ? [] : [fieldError.required(field, why)]
  }
  return [fieldError.invalid(`${path}.operator`, operator, 'not a valid selector operator')]
}
