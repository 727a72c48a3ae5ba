import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, objectAt, own, stringAt, valueAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { withSelectableFields, selectableFields } from '../../resources/kinds/selectable-fields.ts'
import type { CustomResource, ScalePaths } from '../../resources/kinds/custom-resource.ts'
import { customStrategy } from '../values/custom-strategy.ts'
import { isConditionTrue } from './definition-conditions.ts'
import { fillDefaults } from '../values/fill-defaults.ts'
import { objectTypeOf } from './object-type-of.ts'
import { printerColumns } from './printer-columns.ts'
import { pruneUnknownFields } from '../../schema/structural/prune-unknown-fields.ts'
import { parseStructuralSchema, type StructuralSchema } from '../../schema/structural/structural-schema.ts'

/** Returns the kinds that a CustomResourceDefinition defines: one for each served version, the preferred version first. */
export function kindsOfDefinition(definition: ApiObject): readonly ResourceKind[] {
  if (!isConditionTrue(definition, 'Established')) return []
  const group = stringAt(definition, 'spec', 'group')
  const names = objectAt(definition, 'status', 'acceptedNames')
  const versions = listAt(definition, 'spec', 'versions')
  const storageVersion = versions.find((version) => own(version, 'storage') === true)
  const storageApiVersion = `${group}/${stringAt(storageVersion, 'name')}`
  const storedSchema = parseStructuralSchema(objectAt(storageVersion, 'schema', 'openAPIV3Schema'))
  return versions
    .filter((version) => own(version, 'served') === true)
    .toSorted((a, b) => compareVersions(stringAt(a, 'name'), stringAt(b, 'name')))
    .map((version) => {
      const plural = stringAt(names, 'plural')
      const custom = customResourceOf(definition, version as JsonObject, { storageApiVersion, storedSchema })
      return {
        group,
        version: stringAt(version, 'name'),
        plural,
        singular: stringAt(names, 'singular'),
        kind: stringAt(names, 'kind'),
        namespaced: stringAt(definition, 'spec', 'scope') === 'Namespaced',
        shortNames: listAt(names, 'shortNames').map(String),
        categories: listAt(names, 'categories').map(String),
        hasStatus: valueAt(version, 'subresources', 'status') !== undefined,
        hasScale: custom.scale !== undefined,
        hasGeneration: true,
        type: objectTypeOf(stringAt(definition, 'spec', 'names', 'kind'), custom.schema),
        storage: `${group}/${plural}`,
        custom,
      }
    })
}

function customResourceOf(
  definition: ApiObject,
  version: JsonObject,
  { storageApiVersion, storedSchema }: { readonly storageApiVersion: string; readonly storedSchema: StructuralSchema },
): CustomResource {
  const schema = parseStructuralSchema(objectAt(version, 'schema', 'openAPIV3Schema'))
  const scale = scalePathsOf(own(objectAt(version, 'subresources'), 'scale'))
  const group = stringAt(definition, 'spec', 'group')
  const kind = stringAt(definition, 'spec', 'names', 'kind')
  const apiVersion = `${group}/${stringAt(version, 'name')}`
  const shown = new WeakMap<ApiObject, ApiObject>()
  return {
    definition: definition.metadata.name ?? '',
    storageApiVersion,
    listKind: stringAt(definition, 'status', 'acceptedNames', 'listKind'),
    schema,
    strategy: customStrategy(schema, scale),
    columns: printerColumns(version),
    selectableFields: withSelectableFields(
      listAt(version, 'selectableFields').map((each) => stringAt(each, 'jsonPath').replace(/^\./, '')),
      selectableFields(''),
    ),
    scale,
    deprecationWarning:
      own(version, 'deprecated') === true
        ? stringAt(version, 'deprecationWarning') || `${apiVersion} ${kind} is deprecated`
        : undefined,
    isTerminating: definition.metadata.deletionTimestamp !== undefined,
    toStoredVersion: (object) =>
      storageApiVersion === apiVersion
        ? object
        : ({ ...pruneUnknownFields(object, storedSchema).value, apiVersion: storageApiVersion } as ApiObject),
    toServedVersion(stored) {
      let object = shown.get(stored)
      if (object === undefined) {
        const read = fillDefaults(stored, storedSchema)
        object =
          stored.apiVersion === apiVersion
            ? read
            : ({ ...pruneUnknownFields(read, schema).value, apiVersion } as ApiObject)
        shown.set(stored, object)
      }
      return object
    },
  }
}

function scalePathsOf(scale: unknown): ScalePaths | undefined {
  if (scale === undefined) return undefined
  const path = (key: string): readonly string[] => stringAt(scale, key).split('.').slice(1)
  return {
    spec: path('specReplicasPath'),
    status: path('statusReplicasPath'),
    ...(stringAt(scale, 'labelSelectorPath') === '' ? {} : { selector: path('labelSelectorPath') }),
  }
}

const VERSION_PATTERN = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/
const STABILITY_LEVELS: readonly (string | undefined)[] = [undefined, 'beta', 'alpha']

/**
 * Orders versions as discovery prefers them: stable before beta before alpha, higher before lower, others last.
 *
 * @see k8s.io/apimachinery pkg/version/helpers.go CompareKubeAwareVersionStrings (v0.36)
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [VERSION_PATTERN.exec(a), VERSION_PATTERN.exec(b)]
  if (left === null || right === null) {
    if (left === right) return a < b ? -1 : 1
    return left === null ? 1 : -1
  }
  return (
    STABILITY_LEVELS.indexOf(left[2]) - STABILITY_LEVELS.indexOf(right[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  )
}
