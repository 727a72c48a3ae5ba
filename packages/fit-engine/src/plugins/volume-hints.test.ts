import type { ClusterObjectKind, ClusterObjectKinds, Pod, Volume } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, node } from '../../test/builders.ts'
import { claim, claimed, lateClass, volume, withVolumes } from '../../test/storage-builders.ts'
import type { ClusterEvent, QueueingHint } from '../framework/queueing-hint.ts'
import { nodeVolumeLimitsHint } from './node-volume-limits/hint.ts'
import { volumeBindingHint } from './volume-binding/hint.ts'
import { volumeRestrictionsHint } from './volume-restrictions/hint.ts'
import { volumeZoneHint } from './volume-zone/hint.ts'

// The oracle asks upstream's own hints on random events: kind `volume-hints` of the conformance vectors.

const ZONE = 'topology.kubernetes.io/zone'

type Objects = ClusterObjectKinds
function objectEvent<K extends ClusterObjectKind>(
  resource: K,
  object: Objects[K],
  more: { readonly old?: Objects[K]; readonly isDeleted?: boolean } = {},
): ClusterEvent {
  return { kind: 'object', resource, metadata: object.metadata, isDeleted: false, object, ...more } as ClusterEvent
}
const updated = <K extends ClusterObjectKind>(resource: K, old: Objects[K], object: Objects[K]): ClusterEvent =>
  objectEvent(resource, object, { old })

interface HintCase {
  readonly it: string
  readonly event: ClusterEvent
  readonly isHelped: boolean
}

function testHint(name: string, hint: QueueingHint, pod: Pod, cases: readonly HintCase[]): void {
  describe(`hint of ${name}`, () => {
    test.for(cases)('a pod that it rejected is helped by $it: $isHelped', ({ event, isHelped }) => {
      expect(hint(pod, event)).toBe(isHelped)
    })
  })
}

const pool = (capacity: string, maximumVolumeSize?: string): Objects['csiStorageCapacities'] => ({
  metadata: { name: 'pool' },
  storageClassName: 'late',
  capacity,
  ...(maximumVolumeSize !== undefined && { maximumVolumeSize }),
})
const driver = (storageCapacity: boolean, name = 'inline.example.com'): Objects['csiDrivers'] => ({
  metadata: { name },
  spec: { storageCapacity },
})
const csiNode = (count?: number, migrated = ''): Objects['csiNodes'] => ({
  metadata: { name: 'a', annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': migrated } },
  spec: { drivers: [{ name: 'd', ...(count !== undefined && { allocatable: { count } }) }] },
})
const allowed = (zone: string): Objects['storageClasses'] =>
  lateClass('late', { allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: [zone] }] }] })
const ephemeral: Volume = { name: 'tmp', ephemeral: {} }

testHint(
  'VolumeBinding',
  volumeBindingHint,
  withVolumes(claimed('x'), { name: 'i', csi: { driver: 'inline.example.com' } }, ephemeral),
  [
    { it: 'a storage class', event: objectEvent('storageClasses', lateClass('late')), isHelped: true },
    {
      it: 'other allowed topologies',
      event: updated('storageClasses', allowed('z1'), allowed('z2')),
      isHelped: true,
    },
    {
      it: 'another parameter of a storage class',
      event: updated('storageClasses', allowed('z1'), { ...allowed('z1'), parameters: { a: 'b' } }),
      isHelped: false,
    },
    { it: 'other migrated plugins', event: updated('csiNodes', csiNode(1), csiNode(1, 'p')), isHelped: true },
    { it: 'another limit of a node', event: updated('csiNodes', csiNode(1), csiNode(2)), isHelped: false },
    { it: 'a driver', event: objectEvent('csiDrivers', driver(false)), isHelped: false },
    {
      it: 'the driver of its inline volume, which no longer checks capacity',
      event: updated('csiDrivers', driver(true), driver(false)),
      isHelped: true,
    },
    {
      it: 'another driver, which no longer checks capacity',
      event: updated('csiDrivers', driver(true, 'other'), driver(false, 'other')),
      isHelped: false,
    },
    { it: 'a pool of storage', event: objectEvent('csiStorageCapacities', pool('1Gi')), isHelped: true },
    { it: 'a larger pool', event: updated('csiStorageCapacities', pool('1Gi'), pool('2Gi')), isHelped: true },
    { it: 'a smaller pool', event: updated('csiStorageCapacities', pool('2Gi'), pool('1Gi')), isHelped: false },
    {
      it: 'a larger pool for volumes of the same size',
      event: updated('csiStorageCapacities', pool('1Gi', '1Gi'), pool('2Gi', '1Gi')),
      isHelped: false,
    },
    {
      it: 'a change of its claim',
      event: updated('persistentVolumeClaims', claim('x', {}), claim('x', {})),
      isHelped: true,
    },
    {
      it: 'the claim of its ephemeral volume',
      event: objectEvent('persistentVolumeClaims', claim('p-tmp', {})),
      isHelped: true,
    },
  ],
)

testHint('VolumeZone', volumeZoneHint, withVolumes(claimed('x'), ephemeral), [
  {
    it: 'a class that waits for the first consumer',
    event: objectEvent('storageClasses', lateClass('late')),
    isHelped: true,
  },
  {
    it: 'a class that binds at once',
    event: objectEvent('storageClasses', lateClass('soon', { volumeBindingMode: 'Immediate' })),
    isHelped: false,
  },
  { it: 'a change of a class', event: updated('storageClasses', allowed('z1'), allowed('z2')), isHelped: false },
  { it: 'a volume', event: objectEvent('persistentVolumes', volume('v')), isHelped: true },
  {
    it: 'a volume in another zone',
    event: updated(
      'persistentVolumes',
      volume('v', {}, { labels: { [ZONE]: 'z1' } }),
      volume('v', {}, { labels: { [ZONE]: 'z2' } }),
    ),
    isHelped: true,
  },
  {
    it: 'a volume with the same zones in another order',
    event: updated(
      'persistentVolumes',
      volume('v', {}, { labels: { [ZONE]: 'z1__z2' } }),
      volume('v', {}, { labels: { [ZONE]: 'z2__z1', a: 'b' } }),
    ),
    isHelped: false,
  },
  {
    it: 'the claim of its ephemeral volume, whose zone the filter does not check',
    event: objectEvent('persistentVolumeClaims', claim('p-tmp', {})),
    isHelped: false,
  },
])

const gce: Volume = { name: 'g', gcePersistentDisk: { pdName: 'disk' } }
const gone = (namespace: string, ...volumes: readonly Volume[]): ClusterEvent => {
  const pod = withVolumes(...volumes)
  const { metadata } = boundPod('gone', 'a')
  return {
    kind: 'pod-left',
    pod: { ...pod, metadata: { ...metadata, namespace }, spec: { ...pod.spec, nodeName: 'a' } },
  }
}
const own = withVolumes(claimed('x')).metadata.namespace ?? ''

testHint('VolumeRestrictions', volumeRestrictionsHint, withVolumes(claimed('x'), gce), [
  { it: 'a pod that used its claim', event: gone(own, claimed('x')), isHelped: true },
  { it: 'a pod that used its disk', event: gone(own, gce), isHelped: true },
  { it: 'a pod that used another claim', event: gone(own, claimed('y')), isHelped: false },
  { it: 'a pod of another namespace', event: gone('elsewhere', gce, claimed('x')), isHelped: false },
  { it: 'its claim', event: objectEvent('persistentVolumeClaims', claim('x', {})), isHelped: true },
  {
    it: 'a change of its claim',
    event: updated('persistentVolumeClaims', claim('x', {}), claim('x', { volumeName: 'v' })),
    isHelped: false,
  },
  { it: 'a node', event: { kind: 'node-added', node: node('a') }, isHelped: true },
])

const attachment = (attacher: string): Objects['volumeAttachments'] => ({
  metadata: { name: 'x' },
  spec: { attacher, nodeName: 'a', source: {} },
})
const detached = (attacher: string): ClusterEvent =>
  objectEvent('volumeAttachments', attachment(attacher), { isDeleted: true })

testHint('NodeVolumeLimits', nodeVolumeLimitsHint, withVolumes(gce, ephemeral), [
  { it: 'a higher limit', event: updated('csiNodes', csiNode(1), csiNode(2)), isHelped: true },
  { it: 'the first limit of a driver', event: updated('csiNodes', csiNode(), csiNode(2)), isHelped: true },
  { it: 'a lower limit', event: updated('csiNodes', csiNode(2), csiNode(1)), isHelped: false },
  { it: 'the drivers of a new node', event: objectEvent('csiNodes', csiNode(1)), isHelped: true },
  { it: 'a pod with a claim that is gone', event: gone('elsewhere', claimed('y')), isHelped: true },
  { it: 'a pod without volumes that is gone', event: gone(own, { name: 'e', emptyDir: {} }), isHelped: false },
  { it: 'a volume of its driver that is detached', event: detached('pd.csi.storage.gke.io'), isHelped: true },
  { it: 'a volume of another driver that is detached', event: detached('ebs.csi.aws.com'), isHelped: false },
  {
    it: 'a volume that is attached',
    event: objectEvent('volumeAttachments', attachment('pd.csi.storage.gke.io')),
    isHelped: false,
  },
  {
    it: 'the claim of its ephemeral volume',
    event: objectEvent('persistentVolumeClaims', claim('p-tmp', {})),
    isHelped: true,
  },
  { it: 'a driver', event: objectEvent('csiDrivers', driver(true)), isHelped: false },
])
