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
  return [
    ...validateLabels(labels, `${path}.matchLabels`),
    ...listAt(selector, 'matchExpressions').flatMap((requirement, i) => {
      const field = `${path}.matchExpressions[${i}]`
      const key = stringAt(requirement, 'key')
      return [
        ...validateOperator(requirement, field),
        ...qualifiedName(key).map((why) => fieldError.invalid(`${field}.key`, key, why)),
      ]
    }),
  ]
}

function validateOperator(requirement: unknown, field: string): readonly StatusCause[] {
  const operator = stringAt(requirement, 'operator')
  const { length } = listAt(requirement, 'values')
  switch (operator) {
    case 'In':
    case 'NotIn':
      return length > 0
        ? []
        : [fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
    case 'Exists':
    case 'DoesNotExist':
      return length === 0
        ? []
        : [
            fieldError.forbidden(
              `${field}.values`,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ]
    default:
      return [fieldError.invalid(`${field}.operator`, operator, 'not a valid selector operator')]
  }
}
