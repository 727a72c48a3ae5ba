import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { invalidOptions } from '../../schema/status/api-errors.ts'
import { contentTypeOf } from '../content/read-body.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'

const MAX_MANAGER_LENGTH = 128
const OPTIONS_KIND: Readonly<Record<string, string>> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
}

/**
 * Refuses invalid parameters of a write.
 *
 * @see k8s.io/apimachinery pkg/apis/meta/v1/validation (v0.36)
 * @throws BERTH_SIMULATOR_REFUSED (422)
 */
export function validateWriteOptions(request: ResourceRequest): void {
  const { query, http } = request
  const isApply = http.method === 'PATCH' && contentTypeOf(request).startsWith('application/apply-patch')
  const manager = query.get('fieldManager') ?? ''
  const validation = query.get('fieldValidation') ?? ''
  const causes: StatusCause[] = []
  if (isApply && manager === '') causes.push(fieldError.required('fieldManager', 'is required for apply patch'))
  if (http.method === 'PATCH' && !isApply && query.get('force') !== null) {
    causes.push(fieldError.forbidden('force', 'may not be specified for non-apply patch'))
  }
  if (manager.length > MAX_MANAGER_LENGTH) causes.push(fieldError.tooLong('fieldManager', MAX_MANAGER_LENGTH))
  causes.push(...validateDryRun(query.getAll('dryRun')))
  const validations = ['', 'Ignore', 'Strict', 'Warn']
  if (!validations.includes(validation)) {
    causes.push(fieldError.notSupported('fieldValidation', validation, validations))
  }
  if (causes.length > 0) throw invalidOptions(OPTIONS_KIND[http.method] ?? 'DeleteOptions', causes)
}

/** Returns the errors of `dryRun`. */
export function validateDryRun(values: readonly unknown[]): readonly StatusCause[] {
  return values.every((value) => value === 'All') ? [] : [fieldError.notSupported('dryRun', values, ['All'])]
}
