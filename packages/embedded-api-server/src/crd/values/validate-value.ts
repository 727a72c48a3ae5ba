import { RE2JS } from 're2js'
import { equalJson, isObject, listAt, own, stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { findCorrelatedItem } from './find-correlated-item.ts'
import { hasFormat } from './formats.ts'
import {
  numericLimit,
  parseStructuralSchema,
  type StructuralSchema,
} from '../../schema/structural/structural-schema.ts'

/**
 * Returns the errors of a value by its schema, with the wording of upstream's OpenAPI validator. Values that are equal to
 * `old` are skipped, so that objects remain editable after the schema became stricter (ratcheting).
 *
 * @param path - Path of the value; `''` for the whole object.
 * @see k8s.io/kube-openapi pkg/validation/validate, k8s.io/apiextensions-apiserver pkg/apiserver/validation (v0.36)
 */
export function validateValue(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  old?: unknown,
): readonly StatusCause[] {
  if (old !== undefined && equalJson(value, old)) return []
  const type = typeProblem(value, schema, path)
  if (value === null) return [...type, ...enumProblem(value, schema, path)]
  return [
    ...type,
    ...combinatorProblems(value, schema, path),
    ...(typeof value === 'string' ? stringProblems(value, schema, path) : []),
    ...(typeof value === 'number' ? numberProblems(value, schema, path) : []),
    ...(Array.isArray(value) ? listProblems(value, schema, path, old) : []),
    ...enumProblem(value, schema, path),
    ...(isObject(value) ? objectProblems(value, schema, path, old) : []),
  ]
}

/**
 * Validates like {@link validateValue}, for a value at `path`. As upstream, the messages are relative to the value and
 * only `field` contains the path.
 */
export function validateValueAt(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  old?: unknown,
): readonly StatusCause[] {
  return validateValue(value, schema, '', old).map((cause) => {
    const { field = '' } = cause
    return field === '<nil>' ? cause : { ...cause, field: field === '' ? path : `${path}.${field}` }
  })
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function typeProblem(value: unknown, schema: StructuralSchema, path: string): readonly StatusCause[] {
  const wanted = schema.isIntOrString ? ['integer', 'string'] : schema.type === '' ? [] : [schema.type]
  const got = typeOf(value)
  if (wanted.length === 0 || wanted.includes(got)) return []
  if (got === 'null' && schema.isNullable) return []
  if (got === 'integer' && wanted.includes('number')) return []
  const wrong = fieldError.typeInvalid(path, got, `${path} in body must be of type ${wanted.join(',')}: "${got}"`)
  if (got !== 'number' || !wanted.includes('integer')) return [wrong]
  const why = `Checked value must be of type integer (default format) in ${path}`
  return [wrong, fieldError.invalid('<nil>', '', why)]
}

function enumProblem(value: unknown, { source: raw }: StructuralSchema, path: string): readonly StatusCause[] {
  const values = listAt(raw, 'enum')
  if (values.length === 0 || values.some((each) => equalJson(each, value))) return []
  return [
    fieldError.notSupported(
      path,
      value,
      values.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))),
    ),
  ]
}

function stringProblems(text: string, schema: StructuralSchema, path: string): readonly StatusCause[] {
  const causes: StatusCause[] = []
  const length = Array.from(text).length
  const most = numericLimit(schema, 'maxLength')
  const least = numericLimit(schema, 'minLength')
  const pattern = stringAt(schema.source, 'pattern')
  const format = stringAt(schema.source, 'format')
  if (most !== undefined && length > most) causes.push(fieldError.tooLong(path, most))
  else if (least !== undefined && length < least) {
    causes.push(fieldError.invalid(path, text, `${path} in body should be at least ${least} chars long`))
  } else if (pattern !== '' && !RE2JS.compile(pattern).matcher(text).find()) {
    causes.push(fieldError.invalid(path, text, `${path} in body should match '${pattern}'`))
  }
  if (format !== '' && (schema.type === 'string' || schema.type === '') && !hasFormat(text, format)) {
    causes.push(
      fieldError.typeInvalid(path, text, `${path} in body must be of type ${format}: ${JSON.stringify(text)}`),
    )
  }
  return causes
}

function numberProblems(value: number, schema: StructuralSchema, path: string): readonly StatusCause[] {
  const refuse = (why: string): StatusCause => fieldError.invalid(path, value, `${path} in body should be ${why}`)
  const { source: raw } = schema
  const causes: StatusCause[] = []
  const factor = numericLimit(schema, 'multipleOf')
  const most = numericLimit(schema, 'maximum')
  const least = numericLimit(schema, 'minimum')
  if (factor !== undefined && !Number.isInteger(value / factor)) causes.push(refuse(`a multiple of ${factor}`))
  if (most !== undefined) {
    const isOpen = own(raw, 'exclusiveMaximum') === true
    if (isOpen ? value >= most : value > most) causes.push(refuse(`less than ${isOpen ? '' : 'or equal to '}${most}`))
  }
  if (least !== undefined) {
    const isOpen = own(raw, 'exclusiveMinimum') === true
    if (isOpen ? value <= least : value < least) {
      causes.push(refuse(`greater than ${isOpen ? '' : 'or equal to '}${least}`))
    }
  }
  return causes
}

function listProblems(
  list: readonly unknown[],
  schema: StructuralSchema,
  path: string,
  old: unknown,
): readonly StatusCause[] {
  const { items } = schema
  const causes: StatusCause[] = []
  for (const [i, item] of list.entries()) {
    if (items !== undefined)
      causes.push(...validateValue(item, items, `${path}[${i}]`, findCorrelatedItem(item, schema, old)))
  }
  const least = numericLimit(schema, 'minItems')
  const most = numericLimit(schema, 'maxItems')
  if (least !== undefined && list.length < least) {
    causes.push(fieldError.invalid(path, list.length, `${path} in body should have at least ${least} items`))
  }
  if (most !== undefined && list.length > most) causes.push(fieldError.tooMany(path, list.length, most))
  return causes
}

function objectProblems(
  value: JsonObject,
  schema: StructuralSchema,
  path: string,
  old: unknown,
): readonly StatusCause[] {
  const causes: StatusCause[] = []
  const keys = Object.keys(value)
  const under = (key: string): string => (path === '' ? key : `${path}.${key}`)
  const least = numericLimit(schema, 'minProperties')
  const most = numericLimit(schema, 'maxProperties')
  if (least !== undefined && keys.length < least) {
    causes.push(fieldError.invalid(path, keys.length, `${path} in body should have at least ${least} properties`))
  }
  if (most !== undefined && keys.length > most) causes.push(fieldError.tooMany(path, keys.length, most))
  for (const key of keys) {
    const known = schema.properties.get(key) ?? schema.additionalProperties
    if (known !== undefined) causes.push(...validateValue(value[key], known, under(key), own(old, key)))
  }
  for (const key of listAt(schema.source, 'required').map(String)) {
    if (!Object.hasOwn(value, key)) causes.push(fieldError.required(under(key)))
  }
  return causes
}

function combinatorProblems(value: unknown, schema: StructuralSchema, path: string): readonly StatusCause[] {
  const { source: raw } = schema
  const problemsOf = (name: string): readonly (readonly StatusCause[])[] =>
    listAt(raw, name).map((each) => validateValue(value, parseStructuralSchema(isObject(each) ? each : {}), path))
  const whole = (why: string): StatusCause => fieldError.invalid('<nil>', '', why)
  const causes: StatusCause[] = []
  const any = problemsOf('anyOf')
  if (any.length > 0 && any.every((problems) => problems.length > 0)) {
    causes.push(whole(`${JSON.stringify(path)} must validate at least one schema (anyOf)`), ...(any[0] ?? []))
  }
  const one = problemsOf('oneOf')
  const valid = one.filter((problems) => problems.length === 0).length
  if (one.length > 0 && valid !== 1) {
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    causes.push(whole(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${found}`))
    if (valid === 0) causes.push(...(one[0] ?? []))
  }
  const all = problemsOf('allOf')
  if (all.some((problems) => problems.length > 0)) {
    const none = all.every((problems) => problems.length > 0) ? '. None validated' : ''
    causes.push(...all.flat(), whole(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`))
  }
  const not = own(raw, 'not')
  if (isObject(not) && validateValue(value, parseStructuralSchema(not), path).length === 0) {
    causes.push(whole(`${JSON.stringify(path)} must not validate the schema (not)`))
  }
  return causes
}
