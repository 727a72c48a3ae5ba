import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, objectAt, own, stringAt, valueAt } from '../../schema/json/json-object.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { AGE, NAME } from '../../resources/table/basic-columns.ts'
import type { Column } from '../../resources/table/column.ts'
import { ageOf } from '../../resources/table/human-duration.ts'
import { nodeColumns } from '../../resources/table/node-columns.ts'
import { podColumns } from '../../resources/table/pod-columns.ts'
import { selectorText, workloadColumns } from '../../resources/table/workload-columns.ts'

const text =
  (...path: readonly string[]) =>
  (object: ApiObject): string =>
    textOf(valueAt(object, ...path))

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const accessModes = (object: ApiObject): string =>
  listAt(object, 'spec', 'accessModes')
    .map((mode) => String(mode).replaceAll(/[a-z]/g, ''))
    .join(',')

// Events may carry their time in any of three fields.
const seen = (event: ApiObject, ...fields: readonly string[]): string =>
  fields.map((field) => stringAt(event, ...field.split('.'))).find((time) => time !== '') ?? ''

const eventColumns: readonly Column[] = [
  {
    name: 'Last Seen',
    cell: (event, nowMs) =>
      ageOf(seen(event, 'series.lastObservedTime', 'lastTimestamp', 'deprecatedLastTimestamp', 'eventTime'), nowMs),
  },
  { name: 'Type', cell: text('type') },
  { name: 'Reason', cell: text('reason') },
  { name: 'Object', cell: (event) => objectText(own(event, 'involvedObject') ?? own(event, 'regarding')) },
  {
    name: 'Subobject',
    priority: 1,
    cell: (event) => stringAt(own(event, 'involvedObject') ?? own(event, 'regarding'), 'fieldPath'),
  },
  {
    name: 'Source',
    priority: 1,
    cell: (event) =>
      stringAt(event, 'source', 'component') ||
      stringAt(event, 'reportingComponent') ||
      stringAt(event, 'reportingController'),
  },
  { name: 'Message', cell: (event) => (stringAt(event, 'message') || stringAt(event, 'note')).trim() },
  {
    name: 'First Seen',
    priority: 1,
    cell: (event, nowMs) => ageOf(seen(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime'), nowMs),
  },
  {
    name: 'Count',
    priority: 1,
    cell: (event) => String(numberAt(event, 'series', 'count') ?? numberAt(event, 'count') ?? 1),
  },
  { ...NAME, priority: 1 },
]

const bindingColumns: readonly Column[] = [
  NAME,
  { name: 'Role', cell: (each) => `${stringAt(each, 'roleRef', 'kind')}/${stringAt(each, 'roleRef', 'name')}` },
  AGE,
]

const OTHERS: ReadonlyMap<string, readonly Column[]> = new Map<string, readonly Column[]>([
  ['/pods', podColumns],
  ['/nodes', nodeColumns],
  ['/events', eventColumns],
  ['/namespaces', [NAME, { name: 'Status', cell: text('status', 'phase') }, AGE]],
  [
    '/services',
    [
      NAME,
      { name: 'Type', cell: text('spec', 'type') },
      { name: 'Cluster-IP', cell: (each) => stringAt(each, 'spec', 'clusterIP') || '<none>' },
      { name: 'External-IP', cell: (each) => listAt(each, 'spec', 'externalIPs').join(',') || '<none>' },
      {
        name: 'Port(s)',
        cell: (each) =>
          listAt(each, 'spec', 'ports')
            .map((port) => `${numberAt(port, 'port') ?? 0}/${stringAt(port, 'protocol')}`)
            .join(',') || '<none>',
      },
      AGE,
      {
        name: 'Selector',
        priority: 1,
        cell: (each) => selectorText({ matchLabels: objectAt(each, 'spec', 'selector') }),
      },
    ],
  ],
  [
    '/configmaps',
    [
      NAME,
      {
        name: 'Data',
        cell: (each) => Object.keys(objectAt(each, 'data')).length + Object.keys(objectAt(each, 'binaryData')).length,
      },
      AGE,
    ],
  ],
  [
    '/secrets',
    [
      NAME,
      { name: 'Type', cell: text('type') },
      { name: 'Data', cell: (each) => Object.keys(objectAt(each, 'data')).length },
      AGE,
    ],
  ],
  [
    '/persistentvolumes',
    [
      NAME,
      { name: 'Capacity', cell: text('spec', 'capacity', 'storage') },
      { name: 'Access Modes', cell: accessModes },
      { name: 'Reclaim Policy', cell: text('spec', 'persistentVolumeReclaimPolicy') },
      { name: 'Status', cell: text('status', 'phase') },
      {
        name: 'Claim',
        cell: (each) =>
          [stringAt(each, 'spec', 'claimRef', 'namespace'), stringAt(each, 'spec', 'claimRef', 'name')]
            .filter((part) => part !== '')
            .join('/'),
      },
      { name: 'StorageClass', cell: text('spec', 'storageClassName') },
      AGE,
    ],
  ],
  [
    '/persistentvolumeclaims',
    [
      NAME,
      { name: 'Status', cell: text('status', 'phase') },
      { name: 'Volume', cell: text('spec', 'volumeName') },
      { name: 'Capacity', cell: text('status', 'capacity', 'storage') },
      { name: 'Access Modes', cell: accessModes },
      { name: 'StorageClass', cell: text('spec', 'storageClassName') },
      AGE,
    ],
  ],
  ['coordination.k8s.io/leases', [NAME, { name: 'Holder', cell: text('spec', 'holderIdentity') }, AGE]],
  [
    'scheduling.k8s.io/priorityclasses',
    [
      NAME,
      { name: 'Value', type: 'integer', cell: (each) => numberAt(each, 'value') ?? 0 },
      { name: 'Global-Default', type: 'boolean', cell: (each) => own(each, 'globalDefault') === true },
      AGE,
      { name: 'PreemptionPolicy', cell: text('preemptionPolicy') },
    ],
  ],
  [
    'networking.k8s.io/networkpolicies',
    [NAME, { name: 'Pod-Selector', cell: (each) => selectorText(valueAt(each, 'spec', 'podSelector')) }, AGE],
  ],
  [
    'policy/poddisruptionbudgets',
    [
      NAME,
      { name: 'Min Available', cell: (each) => text('spec', 'minAvailable')(each) || 'N/A' },
      { name: 'Max Unavailable', cell: (each) => text('spec', 'maxUnavailable')(each) || 'N/A' },
      {
        name: 'Allowed Disruptions',
        type: 'integer',
        cell: (each) => numberAt(each, 'status', 'disruptionsAllowed') ?? 0,
      },
      AGE,
    ],
  ],
  [
    'storage.k8s.io/storageclasses',
    [
      NAME,
      { name: 'Provisioner', cell: text('provisioner') },
      { name: 'ReclaimPolicy', cell: (each) => stringAt(each, 'reclaimPolicy') || 'Delete' },
      { name: 'VolumeBindingMode', cell: (each) => stringAt(each, 'volumeBindingMode') || 'Immediate' },
      { name: 'AllowVolumeExpansion', type: 'boolean', cell: (each) => own(each, 'allowVolumeExpansion') === true },
      AGE,
    ],
  ],
  [
    'apiextensions.k8s.io/customresourcedefinitions',
    [NAME, { name: 'Created At', type: 'date', cell: (each) => each.metadata.creationTimestamp ?? '' }],
  ],
  [
    '/resourcequotas',
    [
      NAME,
      { name: 'Request', cell: (each) => quotaText(each, false) },
      { name: 'Limit', cell: (each) => quotaText(each, true) },
      AGE,
    ],
  ],
  ['rbac.authorization.k8s.io/rolebindings', bindingColumns],
  ['rbac.authorization.k8s.io/clusterrolebindings', bindingColumns],
  ...['roles', 'clusterroles'].map((plural): [string, readonly Column[]] => [
    `rbac.authorization.k8s.io/${plural}`,
    [NAME, { name: 'Created At', cell: (each) => each.metadata.creationTimestamp ?? '' }],
  ]),
  ...workloadColumns,
])

// What is used of what is allowed, by name: limits apart from everything else.
function quotaText(quota: ApiObject, ofLimits: boolean): string {
  const hard = objectAt(quota, 'status', 'hard')
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === ofLimits)
    .toSorted()
    .map((name) => `${name}: ${stringAt(quota, 'status', 'used', name) || '0'}/${textOf(hard[name])}`)
    .join(', ')
}

function objectText(reference: unknown): string {
  return `${stringAt(reference, 'kind').toLowerCase()}/${stringAt(reference, 'name')}`
}

const DEFAULT: readonly Column[] = [NAME, AGE]

/** The columns of a kind, in upstream's order. */
export function columnsOf(kind: ResourceKind): readonly Column[] {
  return kind.custom?.columns ?? OTHERS.get(kind.storage) ?? DEFAULT
}
