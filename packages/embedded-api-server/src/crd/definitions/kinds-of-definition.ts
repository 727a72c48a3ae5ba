import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, objectAt, own, stringAt, valueAt, type JsonObject } from '../../schema/json/json-object.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { selectableFieldsOf, selectableFields } from '../../resources/kinds/selectable-fields.ts'
import type { CustomResource, ScalePaths } from '../../resources/kinds/custom-resource.ts'
import { customStrategy } from '../values/custom-strategy.ts'
import { isConditionTrue } from './definition-conditions.ts'
import { fillDefaults } from '../values/fill-defaults.ts'
import { objectTypeOf } from './object-type-of.ts'
import { printerColumns } from './printer-columns.ts'
import { pruneUnknownFields } from '../../schema/structural/prune-unknown-fields.ts'
import { parseStructuralSchema, type StructuralSchema } from '../../schema/structural/structural-schema.ts'

/** The kinds that a CustomResourceDefinition gives the server: one for each served version, the first version first. */
export function kindsOfDefinition(definition: ApiObject): readonly ResourceKind[] {
  if (!isConditionTrue(definition, 'Established')) return []
  const group = stringAt(definition, 'spec', 'group')
  const names = objectAt(definition, 'status', 'acceptedNames')
  const versions = listAt(definition, 'spec', 'versions')
  const stored = versions.find((version) => own(version, 'storage') === true)
  const storedAs = `${group}/${stringAt(stored, 'name')}`
  const storedSchema = parseStructuralSchema(objectAt(stored, 'schema', 'openAPIV3Schema'))
  return versions
    .filter((version) => own(version, 'served') === true)
    .toSorted((a, b) => compareVersions(stringAt(a, 'name'), stringAt(b, 'name')))
    .map((version) => {
      const plural = stringAt(names, 'plural')
      const custom = customResource(definition, version as JsonObject, { storedAs, storedSchema })
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

function customResource(
  definition: ApiObject,
  version: JsonObject,
  { storedAs, storedSchema }: { readonly storedAs: string; readonly storedSchema: StructuralSchema },
): CustomResource {
  const schema = parseStructuralSchema(objectAt(version, 'schema', 'openAPIV3Schema'))
  const scale = scalePathsOf(own(objectAt(version, 'subresources'), 'scale'))
  const group = stringAt(definition, 'spec', 'group')
  const kind = stringAt(definition, 'spec', 'names', 'kind')
  const apiVersion = `${group}/${stringAt(version, 'name')}`
  const shown = new WeakMap<ApiObject, ApiObject>()
  return {
    definition: definition.metadata.name ?? '',
    storedAs,
    listKind: stringAt(definition, 'status', 'acceptedNames', 'listKind'),
    schema,
    strategy: customStrategy(schema, scale),
    columns: printerColumns(version),
    selectable: selectableFieldsOf(
      listAt(version, 'selectableFields').map((each) => stringAt(each, 'jsonPath').replace(/^\./, '')),
      selectableFields(''),
    ),
    scale,
    deprecation:
      own(version, 'deprecated') === true
        ? stringAt(version, 'deprecationWarning') || `${apiVersion} ${kind} is deprecated`
        : undefined,
    isTerminating: definition.metadata.deletionTimestamp !== undefined,
    atRest: (object) =>
      storedAs === apiVersion
        ? object
        : ({ ...pruneUnknownFields(object, storedSchema).value, apiVersion: storedAs } as ApiObject),
    show(stored) {
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

const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/
const STAGES: readonly (string | undefined)[] = [undefined, 'beta', 'alpha']

/**
 * Orders versions as discovery prefers them: stable before beta before alpha, higher before lower, others last.
 *
 * @see k8s.io/apimachinery pkg/version/helpers.go CompareKubeAwareVersionStrings (v0.36)
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)]
  if (left === null || right === null) {
    if (left === right) return a < b ? -1 : 1
    return left === null ? 1 : -1
  }
  return (
    STAGES.indexOf(left[2]) - STAGES.indexOf(right[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  )
}
