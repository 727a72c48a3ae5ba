import type { PodSpec } from '@berth/types'
import { expect, test } from 'vitest'
import { pod } from '../../test/builders.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { unsupportedFeatures } from './unsupported-features.ts'

const remedy = 'recreate the pod without this field, or with the schedulerName of a scheduler that implements it'
const term = { topologyKey: 'zone' }
test.for<{ it: string; spec: Partial<PodSpec>; features: readonly string[] }>([
  { it: 'no special features', spec: {}, features: [] },
  {
    it: 'volumes that every node has',
    spec: {
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'b', configMap: { name: 'x' } },
        { name: 'c', secret: {} },
      ],
    },
    features: [],
  },
  {
    it: 'volumes that filters judge by the pods alone',
    spec: {
      volumes: [
        { name: 'a', csi: { driver: 'x' } },
        { name: 'b', iscsi: { iqn: 'x' } },
        { name: 'c', rbd: { image: 'x' } },
      ],
    },
    features: [],
  },
  {
    it: 'a claim and a disk, while the host keeps no such objects',
    spec: {
      volumes: [
        { name: 'a', persistentVolumeClaim: { claimName: 'x' } },
        { name: 'b', awsElasticBlockStore: { volumeID: 'vol-1' } },
      ],
    },
    features: [
      'spec.volumes[a].persistentVolumeClaim: claims and volumes of the cluster are not known here',
      'spec.volumes[b].awsElasticBlockStore: claims and volumes of the cluster are not known here',
    ],
  },
  {
    it: 'an unknown kind of volume',
    spec: { volumes: [{ name: 'a', wormhole: {} }] },
    features: ['spec.volumes[a].wormhole: this kind of volume is not known'],
  },
  {
    it: 'resource claims',
    spec: { resourceClaims: [{ name: 'x' }] },
    features: [`spec.resourceClaims: dynamic resource allocation is not implemented (${remedy})`],
  },
  { it: 'an empty list of resource claims', spec: { resourceClaims: [] }, features: [] },
  {
    it: 'a scheduling group (Kubernetes 1.36), which the scheduler places as a whole',
    spec: { schedulingGroup: { podGroupName: 'workers' } },
    features: [],
  },
  {
    it: 'a workload reference (Kubernetes 1.35)',
    spec: { workloadRef: { name: 'training', podGroup: 'workers' } },
    features: [`spec.workloadRef: scheduling of the pod groups of Kubernetes 1.35 is not implemented (${remedy})`],
  },
  {
    it: 'spreading and affinity between pods',
    spec: {
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
      },
    },
    features: [],
  },
])('a pod with $it uses what the engine does not implement: $features', ({ spec, features }) => {
  expect(unsupportedFeatures(pod('p', {}, spec))).toEqual(features)
})

test('refuses only claims that wait for their first consumer when the host keeps claims and classes', () => {
  const { objects } = createClusterState()
  for (const [name, volumeBindingMode] of [
    ['late', 'WaitForFirstConsumer'],
    ['soon', 'Immediate'],
  ] as const) {
    objects.set('storageClasses', { metadata: { name }, provisioner: 'csi.example.com', volumeBindingMode })
  }
  const claim = (name: string, storageClassName: string, volumeName?: string): void => {
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' }
    const metadata = { namespace: 'default', name, ...(volumeName !== undefined && { annotations }) }
    const spec = { storageClassName, ...(volumeName !== undefined && { volumeName }) }
    objects.set('persistentVolumeClaims', { metadata, spec })
  }
  claim('waiting', 'late')
  claim('bound', 'late', 'pv')
  claim('unbound', 'soon')
  claim('p-scratch', 'late')
  const claims = ['waiting', 'bound', 'unbound', 'missing']
  const volumes = [
    ...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    { name: 'scratch', ephemeral: {} },
    { name: 'disk', gcePersistentDisk: { pdName: 'd' } },
  ]
  const why = 'waits for its first consumer, and binding volumes is not implemented'
  expect(unsupportedFeatures(pod('p', {}, { volumes }), objects)).toEqual([
    `spec.volumes[waiting].persistentVolumeClaim: claim waiting ${why}`,
    `spec.volumes[scratch].ephemeral: claim p-scratch ${why}`,
  ])
})
