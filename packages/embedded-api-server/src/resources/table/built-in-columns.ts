import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, objectAt, own, stringAt, valueAt } from '../../schema/json/json-object.ts'
import { ageColumn, nameColumn } from './basic-columns.ts'
import type { Column } from './column.ts'
import { eventColumns } from './event-columns.ts'
import { nodeColumns } from './node-columns.ts'
import { podColumns } from './pod-columns.ts'
import { selectorText, workloadColumns } from './workload-columns.ts'

const textAt =
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

const bindingColumns: readonly Column[] = [
  nameColumn,
  { name: 'Role', cell: (each) => `${stringAt(each, 'roleRef', 'kind')}/${stringAt(each, 'roleRef', 'name')}` },
  ageColumn,
]

/** The columns of built-in kinds except name and age only, by the name of their collection. */
export const builtInColumns: ReadonlyMap<string, readonly Column[]> = new Map<string, readonly Column[]>([
  ['/pods', podColumns],
  ['/nodes', nodeColumns],
  ['/events', eventColumns],
  ['/namespaces', [nameColumn, { name: 'Status', cell: textAt('status', 'phase') }, ageColumn]],
  [
    '/services',
    [
      nameColumn,
      { name: 'Type', cell: textAt('spec', 'type') },
      { name: 'Cluster-IP', cell: (each) => stringAt(each, 'spec', 'clusterIP') || '<none>' },
      { name: 'External-IP', cell: (each) => listAt(each, 'spec', 'externalIPs').join(',') || '<none>' },
      {
        name: 'Port(s)',
        cell: (each) =>
          listAt(each, 'spec', 'ports')
            .map((port) => `${numberAt(port, 'port') ?? 0}/${stringAt(port, 'protocol')}`)
            .join(',') || '<none>',
      },
      ageColumn,
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
      nameColumn,
      {
        name: 'Data',
        cell: (each) => Object.keys(objectAt(each, 'data')).length + Object.keys(objectAt(each, 'binaryData')).length,
      },
      ageColumn,
    ],
  ],
  [
    '/secrets',
    [
      nameColumn,
      { name: 'Type', cell: textAt('type') },
      { name: 'Data', cell: (each) => Object.keys(objectAt(each, 'data')).length },
      ageColumn,
    ],
  ],
  [
    '/persistentvolumes',
    [
      nameColumn,
      { name: 'Capacity', cell: textAt('spec', 'capacity', 'storage') },
      { name: 'Access Modes', cell: accessModes },
      { name: 'Reclaim Policy', cell: textAt('spec', 'persistentVolumeReclaimPolicy') },
      { name: 'Status', cell: textAt('status', 'phase') },
      {
        name: 'Claim',
        cell: (each) =>
          [stringAt(each, 'spec', 'claimRef', 'namespace'), stringAt(each, 'spec', 'claimRef', 'name')]
            .filter((part) => part !== '')
            .join('/'),
      },
      { name: 'StorageClass', cell: textAt('spec', 'storageClassName') },
      ageColumn,
    ],
  ],
  [
    '/persistentvolumeclaims',
    [
      nameColumn,
      { name: 'Status', cell: textAt('status', 'phase') },
      { name: 'Volume', cell: textAt('spec', 'volumeName') },
      { name: 'Capacity', cell: textAt('status', 'capacity', 'storage') },
      { name: 'Access Modes', cell: accessModes },
      { name: 'StorageClass', cell: textAt('spec', 'storageClassName') },
      ageColumn,
    ],
  ],
  ['coordination.k8s.io/leases', [nameColumn, { name: 'Holder', cell: textAt('spec', 'holderIdentity') }, ageColumn]],
  [
    'scheduling.k8s.io/priorityclasses',
    [
      nameColumn,
      { name: 'Value', type: 'integer', cell: (each) => numberAt(each, 'value') ?? 0 },
      { name: 'Global-Default', type: 'boolean', cell: (each) => own(each, 'globalDefault') === true },
      ageColumn,
      { name: 'PreemptionPolicy', cell: textAt('preemptionPolicy') },
    ],
  ],
  [
    'networking.k8s.io/networkpolicies',
    [
      nameColumn,
      { name: 'Pod-Selector', cell: (each) => selectorText(valueAt(each, 'spec', 'podSelector')) },
      ageColumn,
    ],
  ],
  [
    'policy/poddisruptionbudgets',
    [
      nameColumn,
      { name: 'Min Available', cell: (each) => textAt('spec', 'minAvailable')(each) || 'N/A' },
      { name: 'Max Unavailable', cell: (each) => textAt('spec', 'maxUnavailable')(each) || 'N/A' },
      {
        name: 'Allowed Disruptions',
        type: 'integer',
        cell: (each) => numberAt(each, 'status', 'disruptionsAllowed') ?? 0,
      },
      ageColumn,
    ],
  ],
  [
    'storage.k8s.io/storageclasses',
    [
      nameColumn,
      { name: 'Provisioner', cell: textAt('provisioner') },
      { name: 'ReclaimPolicy', cell: (each) => stringAt(each, 'reclaimPolicy') || 'Delete' },
      { name: 'VolumeBindingMode', cell: (each) => stringAt(each, 'volumeBindingMode') || 'Immediate' },
      { name: 'AllowVolumeExpansion', type: 'boolean', cell: (each) => own(each, 'allowVolumeExpansion') === true },
      ageColumn,
    ],
  ],
  [
    'apiextensions.k8s.io/customresourcedefinitions',
    [nameColumn, { name: 'Created At', type: 'date', cell: (each) => each.metadata.creationTimestamp ?? '' }],
  ],
  [
    '/resourcequotas',
    [
      nameColumn,
      { name: 'Request', cell: (each) => quotaUsageText(each, false) },
      { name: 'Limit', cell: (each) => quotaUsageText(each, true) },
      ageColumn,
    ],
  ],
  ['rbac.authorization.k8s.io/rolebindings', bindingColumns],
  ['rbac.authorization.k8s.io/clusterrolebindings', bindingColumns],
  ...['roles', 'clusterroles'].map((plural): [string, readonly Column[]] => [
    `rbac.authorization.k8s.io/${plural}`,
    [nameColumn, { name: 'Created At', cell: (each) => each.metadata.creationTimestamp ?? '' }],
  ]),
  ...workloadColumns,
])

// Lists used and hard amounts by resource name: either the limits or all other resources.
function quotaUsageText(quota: ApiObject, ofLimits: boolean): string {
  const hard = objectAt(quota, 'status', 'hard')
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === ofLimits)
    .toSorted()
    .map((name) => `${name}: ${stringAt(quota, 'status', 'used', name) || '0'}/${textOf(hard[name])}`)
    .join(', ')
}
