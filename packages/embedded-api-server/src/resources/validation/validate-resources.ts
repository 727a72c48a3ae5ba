import {
  isExtendedResourceName,
  isHugePageResourceName,
  isNativeResourceName,
  parseQuantity,
  type Quantity,
} from '@berth/resources'
import { isObject, objectAt, own } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { qualifiedName } from '../../schema/name-rules.ts'

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage'])
const STANDARD_RESOURCES = new Set([
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
  'pods',
  'services',
  'storage',
])
const INTEGER_RESOURCES = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
])

const NOT_EXTENDED_NAME = "doesn't follow extended resource name standard"

/** Returns the errors of one amount: it must not be negative, nor a fraction if the resource is counted in integers. */
export function validateAmount(name: string, value: string | number, field: string): readonly StatusCause[] {
  const quantity = parseQuantity(value)
  const causes: StatusCause[] = []
  if (quantity.sign() < 0)
    causes.push(fieldError.invalid(field, quantity.toString(), 'must be greater than or equal to 0'))
  if ((isExtendedResourceName(name) || INTEGER_RESOURCES.has(name)) && quantity.milliValue() % 1000n !== 0n) {
    causes.push(fieldError.invalid(field, quantity.toString(), 'must be an integer'))
  }
  return causes
}

/**
 * Returns the errors of the `resources` of a container.
 *
 * @see kubernetes pkg/apis/core/validation ValidateContainerResourceRequirements (v1.36)
 */
export function validateContainerResources(resources: unknown, field: string): readonly StatusCause[] {
  return validateRequirements(resources, field, validateContainerResourceName)
}

/** Returns the errors of pod-level `resources`. Extended resources are not allowed there. */
export function validatePodLevelResources(resources: unknown, field: string): readonly StatusCause[] {
  return validateRequirements(resources, field, (name, path) => {
    const problems = qualifiedName(name).map((why) => fieldError.invalid(path, name, why))
    if (problems.length > 0 || name === 'cpu' || name === 'memory' || isHugePageResourceName(name)) return problems
    return [fieldError.notSupported(path, name, ['cpu', 'hugepages-', 'memory'])]
  })
}

function validateRequirements(
  resources: unknown,
  field: string,
  validateName: (name: string, path: string) => readonly StatusCause[],
): readonly StatusCause[] {
  if (!isObject(resources)) return []
  const limits = objectAt(resources, 'limits')
  const requests = objectAt(resources, 'requests')
  const causes: StatusCause[] = []
  for (const [name, value] of Object.entries(limits)) {
    const path = `${field}.limits[${name}]`
    causes.push(...validateName(name, path), ...validateAmount(name, value as string, path))
  }
  for (const [name, value] of Object.entries(requests)) {
    const path = `${field}.requests[${name}]`
    causes.push(...validateName(name, path), ...validateAmount(name, value as string, path))
    const limit = own(limits, name)
    causes.push(...validateAgainstLimit(name, parseQuantity(value as string), limit, field))
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePageResourceName) && !names.includes('cpu') && !names.includes('memory')) {
    causes.push(fieldError.forbidden(field, 'HugePages require cpu or memory'))
  }
  return causes
}

function validateAgainstLimit(name: string, request: Quantity, limit: unknown, field: string): readonly StatusCause[] {
  const mayOvercommit = isNativeResourceName(name) && !isHugePageResourceName(name)
  if (limit === undefined) {
    return mayOvercommit
      ? []
      : [fieldError.required(`${field}.limits`, 'Limit must be set for non overcommitable resources')]
  }
  const bound = parseQuantity(limit as string)
  const order = request.cmp(bound)
  if (order !== 0 && !mayOvercommit) {
    return [
      fieldError.invalid(
        `${field}.requests`,
        request.toString(),
        `must be equal to ${name} limit of ${bound.toString()}`,
      ),
    ]
  }
  if (order <= 0) return []
  return [
    fieldError.invalid(
      `${field}.requests`,
      request.toString(),
      `must be less than or equal to ${name} limit of ${bound.toString()}`,
    ),
  ]
}

function validateContainerResourceName(name: string, path: string): readonly StatusCause[] {
  const problems = qualifiedName(name).map((why) => fieldError.invalid(path, name, why))
  if (problems.length > 0) {
    return name.includes('/') ? [...problems, fieldError.invalid(path, name, NOT_EXTENDED_NAME)] : problems
  }
  if (!name.includes('/')) {
    if (CONTAINER_RESOURCES.has(name) || isHugePageResourceName(name)) return []
    const second = fieldError.invalid(path, name, 'must be a standard resource for containers')
    if (STANDARD_RESOURCES.has(name)) return [second]
    return [fieldError.invalid(path, name, 'must be a standard resource type or fully qualified'), second]
  }
  if (isNativeResourceName(name) || isExtendedResourceName(name)) return []
  return [fieldError.invalid(path, name, NOT_EXTENDED_NAME)]
}
