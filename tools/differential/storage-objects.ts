import type { Json } from './json.ts'
import { zones } from './shared-values.ts'
import type { Choices } from './random.ts'

/** CSI drivers, some of which replace in-tree plugins. */
export const drivers = [
  'a.csi.example.com',
  'b.csi.example.com',
  'ebs.csi.aws.com',
  'pd.csi.storage.gke.io',
  'disk.csi.azure.com',
  'cinder.csi.openstack.org',
  'pxd.portworx.com',
] as const

/** Names of storage classes in claims and volumes; `gone` does not exist. */
export const classes = ['fast', 'late', 'later', 'static', 'gone'] as const

const provisioners = [
  'a.csi.example.com',
  'a.csi.example.com',
  'b.csi.example.com',
  'kubernetes.io/aws-ebs',
  'kubernetes.io/azure-file',
  'kubernetes.io/no-provisioner',
  '',
]
const inTreePlugins = [
  'kubernetes.io/gce-pd',
  'kubernetes.io/aws-ebs',
  'kubernetes.io/cinder',
  'kubernetes.io/azure-disk',
  'kubernetes.io/portworx-volume',
]

function topologyTerm(choices: Choices): Json {
  return {
    matchLabelExpressions: choices.list(0, 2, () => ({
      key: choices.pick(['topology.kubernetes.io/zone', 'disk', 'no label']),
      values: choices.list(0, 2, () => choices.pick([...zones, 'ssd'])),
    })),
  }
}

/** Returns all storage classes except `gone`. */
export function storageClasses(choices: Choices): Json[] {
  const storageClass = (name: string, volumeBindingMode: string): Json => ({
    metadata: { name },
    provisioner: choices.pick(provisioners),
    ...choices.maybe(0.98, 'volumeBindingMode', () => volumeBindingMode),
    ...choices.maybe(0.3, 'allowedTopologies', () => choices.list(0, 2, () => topologyTerm(choices))),
  })
  return [
    storageClass('fast', 'Immediate'),
    storageClass('late', 'WaitForFirstConsumer'),
    storageClass('later', 'WaitForFirstConsumer'),
    ...(choices.chance(0.5) ? [storageClass('static', 'WaitForFirstConsumer')] : []),
  ]
}

/** Returns CSINodes for most nodes, with low attach limits. */
export function csiNodes(choices: Choices, nodes: readonly Json[]): Json[] {
  return nodes
    .filter(() => choices.chance(0.85))
    .map((node) => ({
      metadata: {
        name: (node['metadata'] as Json)['name'],
        ...choices.maybe(0.6, 'annotations', () => ({
          'storage.alpha.kubernetes.io/migrated-plugins': inTreePlugins.filter(() => choices.chance(0.7)).join(','),
        })),
      },
      spec: {
        drivers: drivers
          .filter(() => choices.chance(0.7))
          .map((name) => ({
            name,
            nodeID: 'id',
            ...choices.maybe(0.6, 'allocatable', () => choices.maybe(0.9, 'count', () => choices.integer(0, 4))),
          })),
      },
    }))
}

/** Returns CSIDrivers, some of which report storage capacity. */
export function csiDrivers(choices: Choices): Json[] {
  return drivers
    .filter(() => choices.chance(0.7))
    .map((name) => ({
      metadata: { name },
      spec: choices.maybe(0.7, 'storageCapacity', () => choices.chance(0.8)),
    }))
}

/** Returns storage capacities by storage class and node topology. */
export function storageCapacities(choices: Choices): Json[] {
  return choices.list(0, 4, (index) => ({
    metadata: { name: `room${index}`, namespace: 'kube-system' },
    storageClassName: choices.pick(classes),
    ...choices.maybe(0.9, 'nodeTopology', () => ({
      ...choices.maybe(0.5, 'matchLabels', () => ({ 'topology.kubernetes.io/zone': choices.pick(zones) })),
      ...choices.maybe(0.3, 'matchExpressions', () => [
        { key: 'disk', operator: choices.pick(['Exists', 'DoesNotExist']) },
      ]),
    })),
    ...choices.maybe(0.9, 'capacity', () => choices.pick(['1Gi', '5Gi', '100Gi', '1500M'])),
    ...choices.maybe(0.3, 'maximumVolumeSize', () => choices.pick(['1Gi', '5Gi', '50Gi'])),
  }))
}

/** Returns attachments of existing and missing volumes. */
export function attachments(choices: Choices, nodes: readonly Json[], volumes: readonly Json[]): Json[] {
  const names = [...volumes.map(({ metadata }) => (metadata as Json)['name']), 'pv-gone']
  return choices.list(0, 4, (index) => ({
    metadata: { name: `attachment${index}` },
    spec: {
      attacher: choices.chance(0.95) ? choices.pick(drivers) : '',
      nodeName: (choices.pick(nodes)['metadata'] as Json)['name'],
      source: choices.maybe(0.9, 'persistentVolumeName', () => choices.pick(names)),
    },
    status: { attached: choices.chance(0.8) },
  }))
}
