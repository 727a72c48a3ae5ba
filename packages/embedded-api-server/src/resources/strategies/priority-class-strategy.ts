import type { ApiObject } from '../../schema/json/api-object.ts'
import { numberAt } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { Strategy } from '../kinds/strategy.ts'

const MAX_USER_PRIORITY = 1_000_000_000

/**
 * Write rules of PriorityClasses: their value is immutable, and values above one billion are reserved for classes whose
 * name starts with `system-`.
 */
export const priorityClassStrategy: Strategy = {
  defaults: (priorityClass) => ({ preemptionPolicy: 'PreemptLowerPriority', ...priorityClass }),
  validate: validateValue,
}

function validateValue(priorityClass: ApiObject, old: ApiObject | undefined): readonly StatusCause[] {
  const value = numberAt(priorityClass, 'value')
  const isSystemClass = (priorityClass.metadata.name ?? '').startsWith('system-')
  if ((value ?? 0) > MAX_USER_PRIORITY && !isSystemClass) {
    const why = `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`
    return [fieldError.forbidden('value', why)]
  }
  if (old === undefined || numberAt(old, 'value') === value) return []
  return [fieldError.forbidden('value', 'may not be changed in an update.')]
}
