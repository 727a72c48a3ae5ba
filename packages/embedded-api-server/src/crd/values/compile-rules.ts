import { CelError, compileExpression, type Expression } from '../../schema/cel/expression.ts'
import { valueToCel } from '../../schema/cel/to-cel.ts'
import { equalJson, isObject, own } from '../../schema/json/json-object.ts'
import { findCorrelatedItem } from './find-correlated-item.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { schemaUnder, type StructuralSchema, type ValidationRule } from '../../schema/structural/structural-schema.ts'

/** Returns the errors that the `x-kubernetes-validations` of a schema report. `old` is undefined on create. */
export type RuleValidator = (value: unknown, old: unknown, path: string) => readonly StatusCause[]

const VARIABLES = ['self', 'oldSelf']

/**
 * Compiles the rules of a schema and of all its nested schemas.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (v0.36)
 * @returns undefined if there are no rules.
 * @throws CelError if a rule does not compile. Definitions with such rules are refused when they are created.
 */
export function compileRules(schema: StructuralSchema): RuleValidator | undefined {
  const schemaRules = schema.rules.map((rule) => compileRule(rule, schema))
  const properties = new Map(
    [...schema.properties].flatMap(([key, inner]) => {
      const test = compileRules(inner)
      return test === undefined ? [] : [[key, test] as const]
    }),
  )
  const additional = schema.additionalProperties === undefined ? undefined : compileRules(schema.additionalProperties)
  const items = schema.items === undefined ? undefined : compileRules(schema.items)
  if (schemaRules.length === 0 && properties.size === 0 && additional === undefined && items === undefined)
    return undefined
  return (value, old, path) => {
    if (value === undefined || value === null) return []
    const causes = schemaRules.flatMap((test) => test(value, old, path))
    if (Array.isArray(value)) {
      if (items !== undefined) {
        for (const [i, item] of value.entries()) {
          causes.push(...items(item, findCorrelatedItem(item, schema, old), `${path}[${i}]`))
        }
      }
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const test = properties.get(key) ?? (schema.properties.has(key) ? undefined : additional)
        if (test === undefined) continue
        const isProperty = schemaUnder(schema, key) !== schema.additionalProperties
        const at = isProperty ? (path === '' ? key : `${path}.${key}`) : `${path}[${key}]`
        causes.push(...test(value[key], own(old, key), at))
      }
    }
    return causes
  }
}

function compileRule(rule: ValidationRule, schema: StructuralSchema): RuleValidator {
  const expression = compileExpression(rule.rule, VARIABLES)
  const message = rule.messageExpression === '' ? undefined : compileExpression(rule.messageExpression, VARIABLES)
  const isTransitionRule = expression.references('oldSelf')
  return (value, old, path) => {
    if (isTransitionRule && old === undefined && !rule.isOldSelfOptional) return []
    const variables = {
      self: valueToCel(value, schema),
      ...(old === undefined ? {} : { oldSelf: valueToCel(old, schema) }),
    }
    const at = path === '' ? '<nil>' : path
    try {
      if (expression.evaluate(variables) === true) return []
      // Unchanged values are not refused by a rule that was added later (ratcheting).
      if (!isTransitionRule && old !== undefined && equalJson(value, old)) return []
      const field = rule.fieldPath === '' ? at : path + rule.fieldPath
      return [refusal(rule, field.replace(/^\./, ''), value, messageOf(rule, message, variables))]
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      return [fieldError.invalid(at, schema.type, `${error.message} evaluating rule: ${ruleText(rule)}`)]
    }
  }
}

function messageOf(
  rule: ValidationRule,
  expression: Expression | undefined,
  variables: Readonly<Record<string, unknown>>,
): string {
  try {
    const text = expression?.evaluate(variables)
    if (typeof text === 'string' && text.trim() !== '' && !text.includes('\n')) return text.trim()
  } catch (error) {
    if (!(error instanceof CelError)) throw error
  }
  return rule.message.trim() === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim()
}

function ruleText({ rule, message }: ValidationRule): string {
  return message === '' ? rule.trim() : message.trim()
}

function refusal({ reason }: ValidationRule, field: string, value: unknown, detail: string): StatusCause {
  switch (reason) {
    case 'FieldValueForbidden':
      return fieldError.forbidden(field, detail)
    case 'FieldValueRequired':
      return fieldError.required(field, detail)
    case 'FieldValueDuplicate':
      return fieldError.duplicate(field, value)
    default:
      return typeof value === 'object'
        ? { reason: 'FieldValueInvalid', message: `Invalid value: ${detail}`, field }
        : fieldError.invalid(field, value, detail)
  }
}
