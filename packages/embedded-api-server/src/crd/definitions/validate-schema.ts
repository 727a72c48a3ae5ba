import { errorText } from '@berth/text/error-text'
import { RE2JS } from 're2js'
import { CelError, checkExpression } from '../../schema/cel/expression.ts'
import {
  byCodeUnit,
  equalJson,
  isObject,
  listAt,
  objectAt,
  own,
  stringAt,
  type JsonObject,
} from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { pruneUnknownFields } from '../../schema/structural/prune-unknown-fields.ts'
import { parseStructuralSchema, type StructuralSchema } from '../../schema/structural/structural-schema.ts'
import { validateValueAt } from '../values/validate-value.ts'

type SchemaPosition = 'root' | 'item' | 'field'

/**
 * Returns the errors of a schema: violations of the rules for structural schemas, and contradictions.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/validation.go, pkg/apis/apiextensions/validation (v0.36)
 */
export function validateSchema(schema: JsonObject, path: string): readonly StatusCause[] {
  const structural = structuralProblems(schema, path, 'root').toSorted((a, b) => byCodeUnit(sortKeyOf(a), sortKeyOf(b)))
  const defaults = structural.length === 0 ? defaultProblems(schema, path) : []
  return [
    ...(own(schema, 'nullable') === true
      ? [fieldError.forbidden(`${path}.nullable`, 'nullable cannot be true at the root')]
      : []),
    ...structural,
    ...defaults,
    ...constraintProblems(schema, path, structural.length === 0 && defaults.length === 0),
  ]
}

function sortKeyOf({ field = '', message }: StatusCause): string {
  return `${field}: ${message}`
}

/** Returns the direct child schemas of a schema, with their paths. */
function childSchemas(schema: JsonObject, path: string): readonly (readonly [JsonObject, string, SchemaPosition])[] {
  const additional = own(schema, 'additionalProperties')
  const items = own(schema, 'items')
  return [
    ...(isObject(items) ? [[items, `${path}.items`, 'item'] as const] : []),
    ...Object.entries(objectAt(schema, 'properties')).flatMap(([key, inner]) =>
      isObject(inner) ? [[inner, `${path}.properties[${key}]`, 'field'] as const] : [],
    ),
    ...(isObject(additional) ? [[additional, `${path}.additionalProperties`, 'field'] as const] : []),
  ]
}

function structuralProblems(schema: JsonObject, path: string, level: SchemaPosition): readonly StatusCause[] {
  const type = stringAt(schema, 'type')
  const isEmbedded = own(schema, 'x-kubernetes-embedded-resource') === true
  const isOpen = own(schema, 'x-kubernetes-preserve-unknown-fields') === true
  const isIntOrString = own(schema, 'x-kubernetes-int-or-string') === true
  const properties = objectAt(schema, 'properties')
  const causes: StatusCause[] = []
  if (type === 'array' && !isObject(own(schema, 'items'))) {
    causes.push(fieldError.required(`${path}.items`, 'must be specified'))
  }
  if (level === 'root' && own(schema, 'additionalProperties') !== undefined) {
    causes.push(fieldError.forbidden(`${path}.additionalProperties`, 'must not be used at the root'))
  }
  for (const [key, is] of [
    ['x-kubernetes-preserve-unknown-fields', isOpen],
    ['x-kubernetes-embedded-resource', isEmbedded],
  ] as const) {
    if (isIntOrString && is) {
      causes.push(fieldError.invalid(`${path}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'))
    }
  }
  if (isEmbedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true'
    causes.push(type === '' ? fieldError.required(`${path}.type`, why) : fieldError.invalid(`${path}.type`, type, why))
  } else if (type === '' && !isIntOrString && !isOpen) {
    causes.push(fieldError.required(`${path}.type`, EMPTY_TYPE_MESSAGE[level]))
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    causes.push(fieldError.invalid(`${path}.type`, type, 'must be object at the root'))
  }
  if (level === 'root' || isEmbedded) {
    for (const key of ['kind', 'apiVersion']) {
      const inner = own(properties, key)
      if (inner !== undefined && stringAt(inner, 'type') !== 'string') {
        causes.push(fieldError.invalid(`${path}.properties[${key}].type`, stringAt(inner, 'type'), 'must be string'))
      }
    }
  }
  if (level === 'root') causes.push(...metadataProblems(own(properties, 'metadata'), `${path}.properties[metadata]`))
  if (isEmbedded && !isOpen && Object.keys(properties).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    causes.push(fieldError.required(`${path}.properties`, why))
  }
  const pattern = stringAt(schema, 'pattern')
  const wrong = pattern === '' ? undefined : patternProblem(pattern)
  if (wrong !== undefined) {
    const why = `must be a valid regular expression, but isn't: ${wrong}`
    causes.push(fieldError.invalid(`${path}.pattern`, pattern, why))
  }
  for (const [inner, at, innerLevel] of childSchemas(schema, path))
    causes.push(...structuralProblems(inner, at, innerLevel))
  return causes
}

const EMPTY_TYPE_MESSAGE: Readonly<Record<SchemaPosition, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function metadataProblems(metadata: unknown, path: string): readonly StatusCause[] {
  if (metadata === undefined) return []
  const type = stringAt(metadata, 'type')
  const names = Object.keys(objectAt(metadata, 'properties'))
  const others = Object.keys(objectAt({ metadata }, 'metadata')).filter((key) => key !== 'type' && key !== 'properties')
  return [
    ...(type === 'object' ? [] : [fieldError.invalid(`${path}.type`, type, 'must be object')]),
    ...(others.length > 0 || names.some((name) => name !== 'name' && name !== 'generateName')
      ? [
          fieldError.forbidden(
            path,
            'must not specify anything other than name and generateName, but metadata is implicitly specified',
          ),
        ]
      : []),
  ]
}

function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    return errorText(error)
  }
}

// A default must be valid by its schema and must not contain fields that pruning would drop.
function defaultProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  const value = own(schema, 'default')
  const causes: StatusCause[] = []
  if (value !== undefined) {
    const structural = parseStructuralSchema(schema)
    if (isObject(value) && !equalJson(pruneUnknownFields(value, structural).value, value)) {
      causes.push(fieldError.invalid(`${path}.default`, value, 'must not have unknown fields'))
    } else causes.push(...validateValueAt(value, structural, `${path}.default`))
  }
  for (const [inner, at] of childSchemas(schema, path)) causes.push(...defaultProblems(inner, at))
  return causes
}

function constraintProblems(schema: JsonObject, path: string, withRules: boolean): readonly StatusCause[] {
  const causes: StatusCause[] = [...listAndMapProblems(schema, path)]
  if (own(schema, 'uniqueItems') === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    causes.unshift(fieldError.forbidden(`${path}.uniqueItems`, why))
  }
  const isTyped = Object.keys(objectAt(schema, 'properties')).length > 0
  const additional = own(schema, 'additionalProperties')
  if (isTyped && (isObject(additional) || additional === false)) {
    causes.push(
      fieldError.forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    )
  }
  for (const [inner, at] of childSchemas(schema, path)) causes.push(...constraintProblems(inner, at, withRules))
  if (withRules) causes.push(...ruleProblems(schema, path))
  return causes
}

function ruleProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  const rules = listAt(schema, 'x-kubernetes-validations')
  if (rules.length === 0) return []
  const structural = parseStructuralSchema(schema)
  const isRoot = path.endsWith('openAPIV3Schema')
  return rules.flatMap((rule, i) => {
    const field = `${path}.x-kubernetes-validations[${i}]`
    const text = stringAt(rule, 'rule')
    if (text.trim() === '') return [fieldError.required(`${field}.rule`, 'rule is not specified')]
    const problem = expressionProblem(text, structural, isRoot, 'bool')
    const message = stringAt(rule, 'messageExpression')
    const messageProblem = message === '' ? undefined : expressionProblem(message, structural, isRoot, 'string')
    return [
      ...(problem === undefined ? [] : [invalidRuleCause(`${field}.rule`, rule, problem)]),
      ...(messageProblem === undefined ? [] : [invalidRuleCause(`${field}.messageExpression`, rule, messageProblem)]),
    ]
  })
}

function expressionProblem(
  text: string,
  schema: StructuralSchema,
  isRoot: boolean,
  wanted: string,
): string | undefined {
  try {
    checkExpression(text, schema, isRoot, wanted)
    return undefined
  } catch (error) {
    if (error instanceof CelError) return error.message
    throw error
  }
}

// The message shows upstream's Go struct of the rule.
function invalidRuleCause(field: string, rule: unknown, why: string): StatusCause {
  const shown = {
    Rule: stringAt(rule, 'rule'),
    Message: stringAt(rule, 'message'),
    MessageExpression: stringAt(rule, 'messageExpression'),
    Reason: own(rule, 'reason') ?? null,
    FieldPath: stringAt(rule, 'fieldPath'),
    OptionalOldSelf: own(rule, 'optionalOldSelf') ?? null,
  }
  const { message, ...cause } = fieldError.invalid(field, shown, '')
  const escaped = message.replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
  return { ...cause, message: `${escaped}: ${why}` }
}

function listAndMapProblems(schema: JsonObject, path: string): readonly StatusCause[] {
  const type = stringAt(schema, 'type')
  const list = stringAt(schema, 'x-kubernetes-list-type')
  const map = stringAt(schema, 'x-kubernetes-map-type')
  const keys = listAt(schema, 'x-kubernetes-list-map-keys').map(String)
  const items = own(schema, 'items')
  const causes: StatusCause[] = []
  if (own(schema, 'x-kubernetes-preserve-unknown-fields') === false) {
    causes.push(fieldError.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  }
  const mustBe = (wanted: string, why: string): void => {
    if (type === wanted) return
    causes.push(type === '' ? fieldError.required(`${path}.type`, why) : fieldError.invalid(`${path}.type`, type, why))
  }
  if (map !== '') mustBe('object', 'must be object if x-kubernetes-map-type is specified')
  if (map !== '' && !['atomic', 'granular'].includes(map)) {
    causes.push(fieldError.notSupported(`${path}.x-kubernetes-map-type`, map, ['atomic', 'granular']))
  }
  if (list !== '') mustBe('array', 'must be array if x-kubernetes-list-type is specified')
  if (list !== '' && !['atomic', 'set', 'map'].includes(list)) {
    causes.push(fieldError.notSupported(`${path}.x-kubernetes-list-type`, list, ['atomic', 'set', 'map']))
  }
  if (keys.length > 0 && list !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty'
    const field = `${path}.x-kubernetes-list-type`
    causes.push(list === '' ? fieldError.required(field, why) : fieldError.invalid(field, list, why))
  }
  if (list !== 'map') return causes
  const field = `${path}.x-kubernetes-list-map-keys`
  if (keys.length === 0) causes.push(fieldError.required(field, 'must not be empty if x-kubernetes-list-type is map'))
  if (!isObject(items)) {
    causes.push(fieldError.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'))
    return causes
  }
  if (stringAt(items, 'type') !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    causes.push(fieldError.invalid(`${path}.items.type`, stringAt(items, 'type'), why))
  }
  for (const key of keys) {
    if (own(objectAt(items, 'properties'), key) === undefined) {
      causes.push(fieldError.invalid(field, keys, 'entries must all be names of item properties'))
    } else if (
      !listAt(items, 'required').includes(key) &&
      own(objectAt(items, 'properties', key), 'default') === undefined
    ) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      causes.push(fieldError.required(`${path}.items.properties[${key}].default`, why))
    }
  }
  return causes
}
