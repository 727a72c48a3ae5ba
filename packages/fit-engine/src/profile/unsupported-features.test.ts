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

test('refuses no volume that filters judge when the host keeps claims and classes', () => {
  const { objects } = createClusterState()
  objects.set('storageClasses', {
    metadata: { name: 'late' },
    provisioner: 'csi.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  objects.set('persistentVolumeClaims', {
    metadata: { namespace: 'default', name: 'waiting' },
    spec: { storageClassName: 'late' },
  })
  const volumes = [
    ...['waiting', 'missing'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    { name: 'scratch', ephemeral: {} },
    { name: 'disk', gcePersistentDisk: { pdName: 'd' } },
  ]
  expect(unsupportedFeatures(pod('p', {}, { volumes }), objects)).toEqual([])
})
