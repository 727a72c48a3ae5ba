import type { LabelSelector } from '@berth/types'
import { defaultPodSpec } from '../pods/pod-spec-defaults.ts'
import { equalJson, numberAt, objectAt, valueAt, withValueAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { ApiObject } from '../../schema/json/api-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { labelMatcher } from '../selectors/label-selector.ts'
import { validatePodSpec } from '../validation/validate-pod-spec.ts'
import type { Strategy } from '../kinds/strategy.ts'

/**
 * Returns the write rules of a kind with a pod template.
 *
 * @param specDefaults - Defaults of the spec.
 * @param path - Path of the pod spec.
 */
export function workloadStrategy(
  specDefaults: JsonObject,
  podSpecPath: readonly string[] = ['spec', 'template', 'spec'],
): Strategy {
  const field = podSpecPath.join('.')
  return {
    defaults(object) {
      const spec = { ...specDefaults, ...objectAt(object, 'spec') }
      const withSpec: ApiObject = { ...object, spec }
      const template = objectAt(withSpec, ...podSpecPath)
      return Object.keys(template).length === 0
        ? withSpec
        : withValueAt(withSpec, podSpecPath, defaultPodSpec(template))
    },
    prepareCreate: (object) => ({ ...object, status: objectAt(object, 'status') }),
    validate(object, old, isStatus) {
      if (isStatus) return []
      const causes = [...validatePodSpec(valueAt(object, ...podSpecPath), field)]
      if (valueAt(object, ...podSpecPath, 'ephemeralContainers') !== undefined) {
        const why = 'ephemeral containers not allowed in pod template'
        causes.push(fieldError.forbidden(`${field}.ephemeralContainers`, why))
      }
      const replicas = numberAt(object, 'spec', 'replicas') ?? 0
      if (replicas < 0) causes.push(fieldError.invalid('spec.replicas', replicas, 'must be greater than or equal to 0'))
      return [...causes, ...validateSelector(object, old)]
    },
  }
}

function validateSelector(object: ApiObject, old: ApiObject | undefined): readonly StatusCause[] {
  const selector = valueAt(object, 'spec', 'selector')
  if (old !== undefined && !equalJson(selector, valueAt(old, 'spec', 'selector'))) {
    return [fieldError.invalid('spec.selector', selector, 'field is immutable')]
  }
  const labels = objectAt(object, 'spec', 'template', 'metadata', 'labels') as Readonly<Record<string, string>>
  const missing = selector === undefined ? [fieldError.required('spec.selector')] : []
  return labelMatcher(selector as LabelSelector | undefined)(labels)
    ? missing
    : [
        ...missing,
        fieldError.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'),
      ]
}
