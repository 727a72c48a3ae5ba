import { isObject, listAt, numberAt, objectAt, own, stringAt, type JsonObject } from '../json/json-object.ts'

/**
 * A structural schema: the part of a custom resource's `openAPIV3Schema` that defines its fields.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/structural.go (v0.36)
 */
export interface StructuralSchema {
  /** `object`, `array`, `string`, `integer`, `number`, `boolean`; `''` for any type. */
  readonly type: string
  readonly properties: ReadonlyMap<string, StructuralSchema>
  /** Schema of the values of other keys; undefined when there is none, or they can be anything. */
  readonly additionalProperties: StructuralSchema | undefined
  /** Whether keys outside `properties` are allowed. */
  readonly allowsAdditionalProperties: boolean
  readonly items: StructuralSchema | undefined
  readonly isNullable: boolean
  readonly isIntOrString: boolean
  /** Whether the value is itself an API object, with apiVersion, kind and metadata. */
  readonly isEmbeddedResource: boolean
  readonly preservesUnknownFields: boolean
  readonly hasDefault: boolean
  readonly default: unknown
  readonly listType: string
  readonly listMapKeys: readonly string[]
  readonly mapType: string
  readonly rules: readonly ValidationRule[]
  /** The schema as it was sent, for the validation of values. */
  readonly source: JsonObject
}

/** One of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  /** Reason of the error, such as `FieldValueForbidden`; `''` means `FieldValueInvalid`. */
  readonly reason: string
  /** Path below the value that the error names. */
  readonly fieldPath: string
  readonly isOldSelfOptional: boolean
}

/** Parses a schema of a CustomResourceDefinition. */
export function parseStructuralSchema(raw: JsonObject): StructuralSchema {
  const additional = own(raw, 'additionalProperties')
  const items = own(raw, 'items')
  return {
    type: stringAt(raw, 'type'),
    properties: new Map(
      Object.entries(objectAt(raw, 'properties')).map(([key, value]) => [
        key,
        parseStructuralSchema(isObject(value) ? value : {}),
      ]),
    ),
    additionalProperties: isObject(additional) ? parseStructuralSchema(additional) : undefined,
    allowsAdditionalProperties: isObject(additional) || additional === true,
    items: isObject(items) ? parseStructuralSchema(items) : undefined,
    isNullable: own(raw, 'nullable') === true,
    isIntOrString: own(raw, 'x-kubernetes-int-or-string') === true,
    isEmbeddedResource: own(raw, 'x-kubernetes-embedded-resource') === true,
    preservesUnknownFields: own(raw, 'x-kubernetes-preserve-unknown-fields') === true,
    hasDefault: own(raw, 'default') !== undefined,
    default: own(raw, 'default'),
    listType: stringAt(raw, 'x-kubernetes-list-type'),
    listMapKeys: listAt(raw, 'x-kubernetes-list-map-keys').map(String),
    mapType: stringAt(raw, 'x-kubernetes-map-type'),
    rules: listAt(raw, 'x-kubernetes-validations').map((rule) => ({
      rule: stringAt(rule, 'rule'),
      message: stringAt(rule, 'message'),
      messageExpression: stringAt(rule, 'messageExpression'),
      reason: stringAt(rule, 'reason'),
      fieldPath: stringAt(rule, 'fieldPath'),
      isOldSelfOptional: own(rule, 'optionalOldSelf') === true,
    })),
    source: raw,
  }
}

/** Returns the schema of the value under a key of an object; undefined when the schema does not define it. */
export function schemaUnder(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  return schema.properties.get(key) ?? schema.additionalProperties
}

/** Returns a numeric limit of the schema, such as `maxLength`; undefined when it is not set. */
export function numericLimit(schema: StructuralSchema, name: string): number | undefined {
  return numberAt(schema.source, name)
}
