import type { ApiObject } from '../../schema/json/api-object.ts'
import { own, valueAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { Strategy } from '../../resources/kinds/strategy.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { updateStatusOnly } from '../../resources/kinds/status-update.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { ScalePaths } from '../../resources/kinds/custom-resource.ts'
import { fillDefaults } from './fill-defaults.ts'
import { validateListUniqueness } from './validate-list-uniqueness.ts'
import type { StructuralSchema } from '../../schema/structural/structural-schema.ts'
import { validateEmbedded } from './validate-embedded.ts'
import { compileRules } from './compile-rules.ts'
import { validateValue, validateValueAt } from './validate-value.ts'

const MAX_INT32 = 2_147_483_647

/** Errors after which upstream skips CEL rules, because rules rely on values that match the schema. */
const RULE_BLOCKING_REASONS: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/**
 * Returns the write rules of custom resources with this schema.
 *
 * @see k8s.io/apiextensions-apiserver pkg/registry/customresource/strategy.go (v0.36)
 */
export function customStrategy(schema: StructuralSchema, scale: ScalePaths | undefined): Strategy {
  const rules = compileRules(schema)
  const status = schema.properties.get('status')
  return {
    needsVersion: true,
    prepareStatusUpdate: updateStatusOnly,
    defaults: (object) => fillDefaults(object, schema),
    validate(object, old, isStatus) {
      const values = isStatus
        ? status === undefined || own(object, 'status') === undefined
          ? []
          : validateValueAt(object['status'], status, 'status', old?.['status'])
        : validateValue(withoutMetadata(object), schema, '', old === undefined ? undefined : withoutMetadata(old))
      const causes = [
        ...values,
        ...validateScale(object, scale),
        ...validateEmbedded(object, schema),
        ...validateNewDuplicates(object, old, schema),
      ]
      if (rules === undefined) return causes
      if (causes.some(({ reason = '' }) => RULE_BLOCKING_REASONS.has(reason))) return [...causes, RULES_SKIPPED]
      return [...causes, ...rules(object, old, '')]
    },
  }
}

const RULES_SKIPPED: StatusCause = fieldError.invalid(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)

// Metadata is validated separately. A schema may only restrict the name.
function withoutMetadata(object: ApiObject): JsonObject {
  const { apiVersion, kind, metadata, ...rest } = object
  return { apiVersion, kind, metadata: { name: metadata.name }, ...rest }
}

// Duplicates that the old object had already are allowed.
function validateNewDuplicates(
  object: ApiObject,
  old: ApiObject | undefined,
  schema: StructuralSchema,
): readonly StatusCause[] {
  return old === undefined || validateListUniqueness(old, schema).length === 0
    ? validateListUniqueness(object, schema)
    : []
}

function validateScale(object: ApiObject, scale: ScalePaths | undefined): readonly StatusCause[] {
  if (scale === undefined) return []
  return [scale.spec, scale.status].flatMap((path) => {
    const value = valueAt(object, ...path)
    const field = `.${path.join('.')}`
    if (value === undefined) return []
    if (typeof value !== 'number' || !Number.isInteger(value)) return []
    if (value < 0) return [fieldError.invalid(field, value, 'should be a non-negative integer')]
    return value > MAX_INT32 ? [fieldError.invalid(field, value, `should be less than or equal to ${MAX_INT32}`)] : []
  })
}
