import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, objectAt, stringAt } from '../../schema/json/json-object.ts'
import {
  ageColumn,
  booleanColumn,
  integerColumn,
  nameColumn,
  named,
  textColumn,
  textOf,
  wide,
} from './basic-columns.ts'
import type { Column } from './column.ts'
import { eventColumns } from './event-columns.ts'
import { networkColumns } from './network-columns.ts'
import { nodeColumns } from './node-columns.ts'
import { podColumns } from './pod-columns.ts'
import { selectorText, workloadColumns } from './workload-columns.ts'

const accessModesColumn: Column = {
  name: 'Access Modes',
  cell: (object) =>
    listAt(object, 'spec', 'accessModes')
      .map((mode) => String(mode).replaceAll(/[a-z]/g, ''))
      .join(','),
}
const storageClassColumn = textColumn('StorageClass', 'spec.storageClassName')

const creationColumn = textColumn('Created At', 'metadata.creationTimestamp')
const roleColumns: readonly Column[] = [nameColumn, creationColumn]
const bindingColumns = named({
  name: 'Role',
  cell: (each) => `${stringAt(each, 'roleRef', 'kind')}/${stringAt(each, 'roleRef', 'name')}`,
})

const columns: Readonly<Record<string, readonly Column[]>> = {
  '/pods': podColumns,
  '/nodes': nodeColumns,
  '/events': eventColumns,
  '/namespaces': named(textColumn('Status', 'status.phase')),
  '/services': [
    ...named(
      textColumn('Type', 'spec.type'),
      textColumn('Cluster-IP', 'spec.clusterIP', '<none>'),
      { name: 'External-IP', cell: (each) => listAt(each, 'spec', 'externalIPs').join(',') || '<none>' },
      { name: 'Port(s)', cell: portsText },
    ),
    wide({ name: 'Selector', cell: (each) => selectorText({ matchLabels: objectAt(each, 'spec', 'selector') }) }),
  ],
  '/configmaps': named({
    name: 'Data',
    cell: (each) => Object.keys(objectAt(each, 'data')).length + Object.keys(objectAt(each, 'binaryData')).length,
  }),
  '/secrets': named(textColumn('Type', 'type'), {
    name: 'Data',
    cell: (each) => Object.keys(objectAt(each, 'data')).length,
  }),
  '/persistentvolumes': named(
    textColumn('Capacity', 'spec.capacity.storage'),
    accessModesColumn,
    textColumn('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy'),
    textColumn('Status', 'status.phase'),
    {
      name: 'Claim',
      cell: (each) =>
        ['namespace', 'name']
          .map((key) => stringAt(each, 'spec', 'claimRef', key))
          .filter((part) => part !== '')
          .join('/'),
    },
    storageClassColumn,
  ),
  '/persistentvolumeclaims': named(
    textColumn('Status', 'status.phase'),
    textColumn('Volume', 'spec.volumeName'),
    textColumn('Capacity', 'status.capacity.storage'),
    accessModesColumn,
    storageClassColumn,
  ),
  '/resourcequotas': named(
    { name: 'Request', cell: (each) => quotaUsageText(each, false) },
    { name: 'Limit', cell: (each) => quotaUsageText(each, true) },
  ),
  'coordination.k8s.io/leases': named(textColumn('Holder', 'spec.holderIdentity')),
  'scheduling.k8s.io/priorityclasses': [
    nameColumn,
    integerColumn('Value', 'value'),
    booleanColumn('Global-Default', 'globalDefault'),
    ageColumn,
    textColumn('PreemptionPolicy', 'preemptionPolicy'),
  ],
  'autoscaling/horizontalpodautoscalers': named(
    {
      name: 'Reference',
      cell: (each) => ['kind', 'name'].map((key) => stringAt(each, 'spec', 'scaleTargetRef', key)).join('/'),
    },
    integerColumn('MinPods', 'spec.minReplicas'),
    integerColumn('MaxPods', 'spec.maxReplicas'),
    integerColumn('Replicas', 'status.currentReplicas'),
  ),
  'policy/poddisruptionbudgets': named(
    textColumn('Min Available', 'spec.minAvailable', 'N/A'),
    textColumn('Max Unavailable', 'spec.maxUnavailable', 'N/A'),
    integerColumn('Allowed Disruptions', 'status.disruptionsAllowed'),
  ),
  'storage.k8s.io/storageclasses': named(
    textColumn('Provisioner', 'provisioner'),
    textColumn('ReclaimPolicy', 'reclaimPolicy', 'Delete'),
    textColumn('VolumeBindingMode', 'volumeBindingMode', 'Immediate'),
    booleanColumn('AllowVolumeExpansion', 'allowVolumeExpansion'),
  ),
  'apiextensions.k8s.io/customresourcedefinitions': [nameColumn, { ...creationColumn, type: 'date' }],
  'rbac.authorization.k8s.io/rolebindings': bindingColumns,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns,
  'rbac.authorization.k8s.io/roles': roleColumns,
  'rbac.authorization.k8s.io/clusterroles': roleColumns,
  ...networkColumns,
  ...workloadColumns,
}

/** The columns of built-in kinds except name and age only, by the name of their collection. */
export const builtInColumns: ReadonlyMap<string, readonly Column[]> = new Map(Object.entries(columns))

function portsText(service: ApiObject): string {
  const ports = listAt(service, 'spec', 'ports')
  return ports.map((port) => `${numberAt(port, 'port') ?? 0}/${stringAt(port, 'protocol')}`).join(',') || '<none>'
}

// Lists used and hard amounts by resource name: either the limits or all other resources.
function quotaUsageText(quota: ApiObject, ofLimits: boolean): string {
  const hard = objectAt(quota, 'status', 'hard')
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === ofLimits)
    .toSorted()
    .map((name) => `${name}: ${stringAt(quota, 'status', 'used', name) || '0'}/${textOf(hard[name])}`)
    .join(', ')
}
