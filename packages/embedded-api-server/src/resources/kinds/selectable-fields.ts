import type { ApiObject } from '../../schema/json/api-object.ts'
import { valueAt } from '../../schema/json/json-object.ts'
import type { SelectableFields } from '../selectors/field-selector.ts'

// Field names by storage; a field reads the path that it names unless another path is given.
const PATHS: ReadonlyMap<string, readonly (string | readonly [field: string, path: string])[]> = new Map([
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

// Where an absent field does not read as the empty string.
const ABSENT: ReadonlyMap<string, string> = new Map([
  ['spec.hostNetwork', 'false'],
  ['spec.unschedulable', 'false'],
  ['status.replicas', '0'],
])

function reader(field: string, path: readonly string[]): (object: ApiObject) => string {
  const absent = ABSENT.get(field) ?? ''
  return (object) => {
    const value = valueAt(object, ...path)
    return value === undefined || value === null ? absent : scalarText(value)
  }
}

function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const COMMON = ['metadata.name', 'metadata.namespace'].map((field) => [field, reader(field, field.split('.'))] as const)

const FIELDS: ReadonlyMap<string, SelectableFields> = new Map(
  [...PATHS].map(([storage, entries]) => [
    storage,
    new Map([
      ...COMMON,
      ...entries.map((entry) => {
        const [field, path] = typeof entry === 'string' ? [entry, entry] : entry
        return [field, reader(field, path.split('.'))] as const
      }),
    ]),
  ]),
)

const COMMON_FIELDS: SelectableFields = new Map(COMMON)

/** `known` and fields that are read at the path that they name. */
export function selectableFieldsOf(fields: readonly string[], known: SelectableFields): SelectableFields {
  return fields.length === 0
    ? known
    : new Map([...known, ...fields.map((field) => [field, reader(field, field.split('.'))] as const)])
}

/** The fields by which objects of a storage can be selected; name and namespace are among them for every kind. */
export function selectableFields(storage: string): SelectableFields {
  return FIELDS.get(storage) ?? COMMON_FIELDS
}
