import type { ApiObject } from '../../schema/json/api-object.ts'
import { own, valueAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { Strategy } from '../../resources/kinds/strategy.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { takeStatus } from '../../resources/kinds/status-update.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { ScalePaths } from '../../resources/kinds/custom-resource.ts'
import { fillDefaults } from './fill-defaults.ts'
import { validateLists } from './validate-list-uniqueness.ts'
import type { StructuralSchema } from '../../schema/structural/structural-schema.ts'
import { validateEmbedded } from './validate-embedded.ts'
import { compileRules } from './compile-rules.ts'
import { validateValue, validateValueAt } from './validate-value.ts'

const LARGEST_INT32 = 2_147_483_647

/** Refusals after which upstream does not run rules: they could meet values that they do not expect. */
const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/**
 * How custom resources are written.
 *
 * @see k8s.io/apiextensions-apiserver pkg/registry/customresource/strategy.go (v0.36)
 */
export function customStrategy(schema: StructuralSchema, scale: ScalePaths | undefined): Strategy {
  const rules = compileRules(schema)
  const status = schema.properties.get('status')
  return {
    needsVersion: true,
    prepareStatusUpdate: takeStatus,
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
        ...repeatedSince(object, old, schema),
      ]
      if (rules === undefined) return causes
      if (causes.some(({ reason = '' }) => BLOCKING.has(reason))) return [...causes, UNCHECKED]
      return [...causes, ...rules(object, old, '')]
    },
  }
}

const UNCHECKED: StatusCause = fieldError.invalid(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)

// Metadata has rules of its own; that of the schema can only narrow names.
function withoutMetadata(object: ApiObject): JsonObject {
  const { apiVersion, kind, metadata, ...rest } = object
  return { apiVersion, kind, metadata: { name: metadata.name }, ...rest }
}

// Lists that had repetitions before may keep them.
function repeatedSince(
  object: ApiObject,
  old: ApiObject | undefined,
  schema: StructuralSchema,
): readonly StatusCause[] {
  return old === undefined || validateLists(old, schema).length === 0 ? validateLists(object, schema) : []
}

function validateScale(object: ApiObject, scale: ScalePaths | undefined): readonly StatusCause[] {
  if (scale === undefined) return []
  return [scale.spec, scale.status].flatMap((path) => {
    const value = valueAt(object, ...path)
    const field = `.${path.join('.')}`
    if (value === undefined) return []
    if (typeof value !== 'number' || !Number.isInteger(value)) return []
    if (value < 0) return [fieldError.invalid(field, value, 'should be a non-negative integer')]
    return value > LARGEST_INT32
      ? [fieldError.invalid(field, value, `should be less than or equal to ${LARGEST_INT32}`)]
      : []
  })
}
