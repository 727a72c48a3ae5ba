import type { StatusCause } from './status-error.ts'

/** Functions that create the causes of a 422, with the messages of `field.Error` in k8s.io/apimachinery v0.36. */
export const fieldError = {
  required: (field: string, detail = ''): StatusCause => cause('FieldValueRequired', field, 'Required value', detail),
  invalid: (field: string, value: unknown, detail: string): StatusCause =>
    cause('FieldValueInvalid', field, `Invalid value: ${formatValue(value)}`, detail),
  typeInvalid: (field: string, value: unknown, detail: string): StatusCause =>
    cause('FieldValueTypeInvalid', field, `Invalid value: ${formatValue(value)}`, detail),
  notSupported: (field: string, value: unknown, supported: readonly string[]): StatusCause =>
    cause(
      'FieldValueNotSupported',
      field,
      `Unsupported value: ${formatValue(value)}`,
      `supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
    ),
  duplicate: (field: string, value: unknown): StatusCause =>
    cause('FieldValueDuplicate', field, `Duplicate value: ${formatValue(value)}`, ''),
  forbidden: (field: string, detail: string): StatusCause => cause('FieldValueForbidden', field, 'Forbidden', detail),
  tooLong: (field: string, limit: number): StatusCause =>
    cause('FieldValueTooLong', field, 'Too long', `may not be more than ${limit} bytes`),
  tooMany: (field: string, count: number, limit: number): StatusCause =>
    cause('FieldValueTooMany', field, `Too many: ${count}`, `must have at most ${limit} items`),
  notFound: (field: string, value: unknown): StatusCause =>
    cause('FieldValueNotFound', field, `Not found: ${formatValue(value)}`, ''),
}

function cause(reason: string, field: string, body: string, detail: string): StatusCause {
  return { reason, message: detail === '' ? body : `${body}: ${detail}`, field }
}

function formatValue(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value)
}
