import type { ApiObject } from '../../schema/json/api-object.ts'
import { valueAt } from '../../schema/json/json-object.ts'
import type { SelectableFields } from '../selectors/field-selector.ts'

// Selectable fields by storage. A field without its own path is read at the path that it names.
const FIELD_PATHS: ReadonlyMap<string, readonly (string | readonly [field: string, path: string])[]> = new Map([
  [
    '/pods',
    [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ],
  ],
  ['/nodes', ['spec.unschedulable']],
  ['/namespaces', ['status.phase']],
  ['/secrets', ['type']],
  ['/services', ['spec.clusterIP', 'spec.type']],
  ['/replicationcontrollers', ['status.replicas']],
  ['apps/replicasets', ['status.replicas']],
  ['batch/jobs', ['status.successful']],
  [
    '/events',
    [
      'involvedObject.kind',
      'involvedObject.namespace',
      'involvedObject.name',
      'involvedObject.uid',
      'involvedObject.apiVersion',
      'involvedObject.resourceVersion',
      'involvedObject.fieldPath',
      ['regarding.kind', 'involvedObject.kind'],
      ['regarding.namespace', 'involvedObject.namespace'],
      ['regarding.name', 'involvedObject.name'],
      ['regarding.uid', 'involvedObject.uid'],
      'reason',
      ['reportingController', 'reportingComponent'],
      'reportingComponent',
      ['source', 'source.component'],
      'type',
    ],
  ],
])

// The values of absent fields that are not the empty string.
const ABSENT_VALUES: ReadonlyMap<string, string> = new Map([
  ['spec.hostNetwork', 'false'],
  ['spec.unschedulable', 'false'],
  ['status.replicas', '0'],
])

function fieldReader(field: string, path: readonly string[]): (object: ApiObject) => string {
  const absent = ABSENT_VALUES.get(field) ?? ''
  return (object) => {
    const value = valueAt(object, ...path)
    return value === undefined || value === null ? absent : scalarText(value)
  }
}

function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const COMMON_READERS = ['metadata.name', 'metadata.namespace'].map(
  (field) => [field, fieldReader(field, field.split('.'))] as const,
)

const FIELDS: ReadonlyMap<string, SelectableFields> = new Map(
  [...FIELD_PATHS].map(([storage, entries]) => [
    storage,
    new Map([
      ...COMMON_READERS,
      ...entries.map((entry) => {
        const [field, path] = typeof entry === 'string' ? [entry, entry] : entry
        return [field, fieldReader(field, path.split('.'))] as const
      }),
    ]),
  ]),
)

const COMMON_FIELDS: SelectableFields = new Map(COMMON_READERS)

/** Returns `known` and the given fields, which are read at the path that they name. */
export function withSelectableFields(fields: readonly string[], known: SelectableFields): SelectableFields {
  return fields.length === 0
    ? known
    : new Map([...known, ...fields.map((field) => [field, fieldReader(field, field.split('.'))] as const)])
}

/** Returns the fields that objects of a storage can be selected by. Every kind has `metadata.name` and `.namespace`. */
export function selectableFields(storage: string): SelectableFields {
  return FIELDS.get(storage) ?? COMMON_FIELDS
}
