import type { ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, isObject, listAt, objectAt, own, stringAt, valueAt } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { dns1035Label, dnsSubdomain } from '../../schema/name-rules.ts'
import { isConditionTrue } from './definition-conditions.ts'
import { validateSchema } from './validate-schema.ts'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

/**
 * Returns the errors of a CustomResourceDefinition. `old` is undefined on create.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apis/apiextensions/validation (v0.36)
 */
export function validateDefinition(definition: ApiObject, old: ApiObject | undefined): readonly StatusCause[] {
  const spec = objectAt(definition, 'spec')
  const versions = listAt(spec, 'versions')
  const shared = sharedParts(versions)
  return [
    ...(old === undefined ? validateName(definition) : []),
    ...validateGroup(stringAt(spec, 'group')),
    ...oneOf(stringAt(spec, 'scope'), 'spec.scope', ['Cluster', 'Namespaced']),
    ...versions.flatMap((version, i) =>
      isObject(valueAt(version, 'schema', 'openAPIV3Schema'))
        ? []
        : [fieldError.required(`spec.versions[${i}].schema.openAPIV3Schema`)],
    ),
    ...versions.flatMap((version, i) => validateVersion(version, `spec.versions[${i}]`, shared)),
    ...validateVersions(versions, shared),
    ...validateNames(objectAt(spec, 'names')),
    ...validateParts(versions[0], 'spec', (part) => shared.has(part)),
    ...oneOf(stringAt(spec, 'conversion', 'strategy'), 'spec.conversion.strategy', ['None', 'Webhook']),
    ...(own(spec, 'preserveUnknownFields') === true
      ? [
          fieldError.invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
    ...(old === undefined ? [] : validateImmutable(definition, old)),
    ...(versions.some((version) => own(version, 'storage') === true)
      ? []
      : [fieldError.invalid('status.storedVersions', null, 'must have at least one stored version')]),
  ]
}

function validateName(definition: ApiObject): readonly StatusCause[] {
  const { name = '' } = definition.metadata
  const wanted = `${stringAt(definition, 'spec', 'names', 'plural')}.${stringAt(definition, 'spec', 'group')}`
  return name === '' || name === wanted
    ? []
    : [fieldError.invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]
}

function validateGroup(group: string): readonly StatusCause[] {
  if (group === '') return [fieldError.required('spec.group')]
  const problems = dnsSubdomain(group)
  if (problems.length > 0) return [fieldError.invalid('spec.group', group, problems.join(','))]
  return group.includes('.')
    ? []
    : [fieldError.invalid('spec.group', group, 'should be a domain with at least one dot')]
}

type SharedPart = 'schema' | 'subresources' | 'additionalPrinterColumns'

// Upstream's internal form holds parts that are equal in all versions once, and errors use the path of that single part.
function sharedParts(versions: readonly unknown[]): ReadonlySet<SharedPart> {
  const parts: readonly SharedPart[] = ['schema', 'subresources', 'additionalPrinterColumns']
  return new Set(
    parts.filter((part) => versions.every((version) => equalJson(own(version, part), own(versions[0], part)))),
  )
}

function validateParts(
  version: unknown,
  path: string,
  isSelected: (part: SharedPart) => boolean,
): readonly StatusCause[] {
  const schema = valueAt(version, 'schema', 'openAPIV3Schema')
  const holder = path === 'spec' ? 'spec.validation' : `${path}.schema`
  return [
    ...(isObject(schema) && isSelected('schema') ? validateSchema(schema, `${holder}.openAPIV3Schema`) : []),
    ...(isSelected('subresources')
      ? validateScale(valueAt(version, 'subresources', 'scale'), `${path}.subresources.scale`)
      : []),
    ...(isSelected('additionalPrinterColumns')
      ? listAt(version, 'additionalPrinterColumns').flatMap((column, i) =>
          validateColumn(column, `${path}.additionalPrinterColumns[${i}]`),
        )
      : []),
  ]
}

function validateVersion(version: unknown, path: string, shared: ReadonlySet<SharedPart>): readonly StatusCause[] {
  const name = stringAt(version, 'name')
  const problems = dns1035Label(name)
  return [
    ...(problems.length === 0 ? [] : [fieldError.invalid(`${path}.name`, name, problems.join(','))]),
    ...(own(version, 'deprecated') !== true && own(version, 'deprecationWarning') !== undefined
      ? [
          fieldError.invalid(
            `${path}.deprecationWarning`,
            own(version, 'deprecationWarning'),
            'can only be set for deprecated versions',
          ),
        ]
      : []),
    ...validateParts(version, path, (part) => !shared.has(part)),
  ]
}

// The message shows upstream's Go struct.
function goVersion(version: unknown, shared: ReadonlySet<SharedPart>): object {
  const part = (key: SharedPart): unknown => (shared.has(key) ? null : (own(version, key) ?? null))
  return {
    Name: stringAt(version, 'name'),
    Served: own(version, 'served') === true,
    Storage: own(version, 'storage') === true,
    Deprecated: own(version, 'deprecated') === true,
    DeprecationWarning: own(version, 'deprecationWarning') ?? null,
    Schema: part('schema'),
    Subresources: part('subresources'),
    AdditionalPrinterColumns: part('additionalPrinterColumns'),
    SelectableFields: own(version, 'selectableFields') ?? null,
  }
}

function validateVersions(versions: readonly unknown[], shared: ReadonlySet<SharedPart>): readonly StatusCause[] {
  const names = versions.map((version) => stringAt(version, 'name'))
  const refuse = (why: string): StatusCause =>
    fieldError.invalid(
      'spec.versions',
      versions.map((version) => goVersion(version, shared)),
      why,
    )
  return [
    ...(new Set(names).size === names.length ? [] : [refuse('must contain unique version names')]),
    ...(versions.filter((version) => own(version, 'storage') === true).length === 1
      ? []
      : [refuse('must have exactly one version marked as storage version')]),
  ]
}

function validateNames(names: unknown): readonly StatusCause[] {
  const path = 'spec.names'
  const label = (key: string): readonly StatusCause[] => {
    const name = stringAt(names, key)
    const isKind = key === 'kind' || key === 'listKind'
    const problems = name === '' ? [] : dns1035Label(isKind ? name.toLowerCase() : name)
    if (problems.length === 0) return []
    const why = `${isKind ? 'may have mixed case, but should otherwise match: ' : ''}${problems.join(',')}`
    return [fieldError.invalid(`${path}.${key}`, name, why)]
  }
  const labels = (key: string): readonly StatusCause[] =>
    listAt(names, key).flatMap((name, i) => {
      const problems = dns1035Label(String(name))
      return problems.length === 0 ? [] : [fieldError.invalid(`${path}.${key}[${i}]`, name, problems.join(','))]
    })
  const keys = ['plural', 'singular', 'kind', 'listKind']
  const kind = stringAt(names, 'kind')
  return [
    ...keys.filter((key) => stringAt(names, key) === '').map((key) => fieldError.required(`${path}.${key}`)),
    ...keys.flatMap(label),
    ...labels('shortNames'),
    ...(kind !== '' && kind === stringAt(names, 'listKind')
      ? [fieldError.invalid(`${path}.listKind`, kind, 'kind and listKind may not be the same')]
      : []),
    ...labels('categories'),
  ]
}

function validateScale(scale: unknown, path: string): readonly StatusCause[] {
  if (scale === undefined) return []
  const validatePath = (key: string, roots: readonly string[], why: string): readonly StatusCause[] => {
    const value = stringAt(scale, key)
    const field = `${path}.${key}`
    if (value === '') return key === 'labelSelectorPath' ? [] : [fieldError.required(field)]
    return roots.some((root) => value.startsWith(root)) ? [] : [fieldError.invalid(field, value, why)]
  }
  return [
    ...validatePath('specReplicasPath', ['.spec.'], 'should be a json path under .spec'),
    ...validatePath('statusReplicasPath', ['.status.'], 'should be a json path under .status'),
    ...validatePath('labelSelectorPath', ['.spec.', '.status.'], 'should be a json path under either .spec or .status'),
  ]
}

function validateColumn(column: unknown, path: string): readonly StatusCause[] {
  const type = stringAt(column, 'type')
  const format = stringAt(column, 'format')
  const mustBe = (values: readonly string[]): string => `must be one of ${values.join(',')}`
  return [
    ...(stringAt(column, 'name') === '' ? [fieldError.required(`${path}.name`)] : []),
    ...(type === ''
      ? [fieldError.required(`${path}.type`, mustBe(COLUMN_TYPES))]
      : COLUMN_TYPES.includes(type)
        ? []
        : [fieldError.invalid(`${path}.type`, type, mustBe(COLUMN_TYPES))]),
    ...(format === '' || COLUMN_FORMATS.includes(format)
      ? []
      : [fieldError.invalid(`${path}.format`, format, mustBe(COLUMN_FORMATS))]),
    ...(stringAt(column, 'jsonPath') === '' ? [fieldError.required(`${path}.JSONPath`)] : []),
  ]
}

function validateImmutable(definition: ApiObject, old: ApiObject): readonly StatusCause[] {
  const requireUnchanged = (...path: readonly string[]): readonly StatusCause[] => {
    const value = valueAt(definition, 'spec', ...path)
    return equalJson(value, valueAt(old, 'spec', ...path))
      ? []
      : [fieldError.invalid(['spec', ...path].join('.'), value, 'field is immutable')]
  }
  return [
    ...(isConditionTrue(old, 'Established')
      ? [...requireUnchanged('scope'), ...requireUnchanged('names', 'kind')]
      : []),
    ...requireUnchanged('group'),
    ...requireUnchanged('names', 'plural'),
  ]
}

function oneOf(value: string, field: string, values: readonly string[]): readonly StatusCause[] {
  if (value === '') return [fieldError.required(field)]
  return values.includes(value) ? [] : [fieldError.notSupported(field, value, values)]
}
