import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { input } from '../../../test/builders.ts'
import {
  claim,
  claimed,
  labelled,
  lateClass,
  type Stored,
  stored,
  volume,
  withVolumes,
} from '../../../test/storage-builders.ts'
import { createFramework } from '../../framework/framework.ts'
import { volumeBinding } from '../../plugins/volume-binding/plugin.ts'
import { volumeZone } from '../../plugins/volume-zone/plugin.ts'
import { explain } from '../explain.ts'
import type { VolumeFinding } from './volume-finding.ts'

const ZONE = 'topology.kubernetes.io/zone'
const framework = createFramework({
  plugins: [
    { plugin: volumeBinding, weight: 0 },
    { plugin: volumeZone, weight: 0 },
  ],
})

/** Returns the findings for node a and a pod with the claims of the objects. */
function findings(objects: Stored, labels: Readonly<Record<string, string>> = {}): readonly VolumeFinding[] {
  const nodes: readonly Node[] = [labelled('a', labels)]
  const names = (objects.persistentVolumeClaims ?? []).map(({ metadata }) => metadata.name ?? '')
  const { nodes: explained } = explain(framework, stored(nodes, objects), withVolumes(...names.map(claimed)), input)
  return explained.flatMap(({ volumes }) => volumes)
}
const sentences = (objects: Stored, labels: Readonly<Record<string, string>> = {}): readonly string[] =>
  findings(objects, labels).map(({ sentence }) => sentence)

const staticClass = lateClass('local', { provisioner: 'kubernetes.io/no-provisioner' })
const waiting = (spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim =>
  claim('data', {
    storageClassName: 'local',
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '5Gi' } },
    ...spec,
  })
const free = (spec: PersistentVolume['spec'] = {}, metadata: PersistentVolume['metadata'] = {}): PersistentVolume =>
  volume(
    'pv-1',
    { storageClassName: 'local', accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' }, ...spec },
    metadata,
  )
const onHost = (host: string): PersistentVolume['spec'] => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'host', operator: 'In', values: [host] }] }] },
  },
})

describe('a volume of the class of a claim that waits for its first consumer', () => {
  test.for<{ it: string; volume: PersistentVolume; claim?: PersistentVolumeClaim; problem: string; text: string }>([
    {
      it: 'on another node',
      volume: free(onHost('b')),
      problem: 'unreachable',
      text: 'only nodes with host in (b) reach it; node a has host=a',
    },
    {
      it: 'that is too small',
      volume: free({ capacity: { storage: '1Gi' } }),
      problem: 'too-small',
      text: 'it has 1Gi, and the claim requests 5Gi',
    },
    {
      it: 'with other access modes',
      volume: free({ accessModes: ['ReadOnlyMany', 'ReadWriteMany'] }),
      problem: 'access-modes',
      text: 'it has the access modes ReadOnlyMany, ReadWriteMany, and the claim requests ReadWriteOnce',
    },
    {
      it: 'of another claim',
      volume: free({ claimRef: { namespace: 'default', name: 'logs', uid: 'logs' } }),
      problem: 'claimed',
      text: 'it is bound to claim default/logs',
    },
    {
      it: 'of a deleted claim with the same name',
      volume: free({ claimRef: { namespace: 'default', name: 'data', uid: 'old' } }),
      problem: 'claimed',
      text: 'it is reserved for an earlier claim of this name (uid old)',
    },
    {
      it: 'that is released',
      volume: { ...free(), status: { phase: 'Released' } },
      problem: 'not-available',
      text: 'its phase is Released, not Available',
    },
    {
      it: 'that is being deleted',
      volume: free({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      problem: 'being-deleted',
      text: 'it is being deleted',
    },
    {
      it: 'that is a block device',
      volume: free({ volumeMode: 'Block' }),
      problem: 'volume-mode',
      text: 'its volumeMode is Block, and that of the claim is Filesystem',
    },
    {
      it: 'with other labels',
      volume: free({}, { labels: { kind: 'hdd' } }),
      claim: waiting({ selector: { matchLabels: { kind: 'ssd' } } }),
      problem: 'labels',
      text: 'the selector of the claim does not match its labels (kind=hdd)',
    },
    {
      it: 'of another attributes class',
      volume: free({ volumeAttributesClassName: 'gold' }),
      problem: 'attributes-class',
      text: 'its volumeAttributesClassName is "gold", and that of the claim is ""',
    },
  ])('$it is explained by name', ({ volume: candidate, claim: wanted = waiting(), problem, text }) => {
    const objects = { persistentVolumeClaims: [wanted], persistentVolumes: [candidate], storageClasses: [staticClass] }
    expect(findings(objects, { host: 'a' })).toEqual([
      { claim: 'data', volume: 'pv-1', problem, sentence: `Volume pv-1 does not match claim data: ${text}.` },
      expect.objectContaining({ claim: 'data', problem: 'no-provisioner' }),
    ])
  })

  test('is not explained when it matches, and neither is one that can be provisioned', () => {
    const objects = { persistentVolumeClaims: [waiting()], storageClasses: [staticClass] }
    expect(findings({ ...objects, persistentVolumes: [free()] })).toEqual([])
    expect(findings({ ...objects, storageClasses: [lateClass('local')] })).toEqual([])
  })

  test('is named as taken when a smaller claim of the pod gets it', () => {
    const small = waiting({ resources: { requests: { storage: '1Gi' } } })
    const objects = {
      persistentVolumeClaims: [waiting(), { ...small, metadata: { ...small.metadata, name: 'logs', uid: 'logs' } }],
      persistentVolumes: [free()],
      storageClasses: [staticClass],
    }
    expect(sentences(objects)[0]).toBe('Volume pv-1 does not match claim data: another claim of the pod gets it.')
  })

  test('is counted when there are many', () => {
    const persistentVolumes = Array.from({ length: 12 }, (_, i) => ({
      ...free({ capacity: { storage: '1Gi' } }),
      metadata: { name: `pv-${i}` },
    }))
    const found = sentences({ persistentVolumeClaims: [waiting()], persistentVolumes, storageClasses: [staticClass] })
    expect(found).toHaveLength(12)
    expect(found[10]).toBe('2 more volumes of storage class local were not explained for claim data.')
  })
})

test('names free volumes of other classes when the class has none', () => {
  const objects = {
    persistentVolumeClaims: [waiting()],
    persistentVolumes: [
      free({ storageClassName: 'fast' }),
      { ...free({ storageClassName: '' }), metadata: { name: 'pv-2' } },
    ],
    storageClasses: [staticClass],
  }
  expect(sentences(objects)).toEqual([
    'No volume has the storage class local of claim data; free volumes are pv-1 (class fast), pv-2 (no class).',
    'Storage class local of claim data provisions no volumes (provisioner kubernetes.io/no-provisioner).',
  ])
})

describe('a storage class that provisions volumes', () => {
  const provisioned = (storageClass: StorageClass, more: Stored = {}): Stored => ({
    persistentVolumeClaims: [waiting()],
    storageClasses: [storageClass],
    ...more,
  })

  test('is explained with the topologies that it allows', () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE, values: ['z1', 'z2'] }] }]
    expect(sentences(provisioned(lateClass('local', { allowedTopologies })))).toEqual([
      `Storage class local of claim data provisions volumes only for nodes with ${ZONE} in (z1, z2); node a has no label ${ZONE}.`,
    ])
  })

  test('is explained with the pools that its driver reports', () => {
    const pool = (name: string, capacity: string, zone: string) => ({
      metadata: { name },
      storageClassName: 'local',
      capacity,
      nodeTopology: { matchLabels: { [ZONE]: zone } },
    })
    const csiStorageCapacities = [pool('near', '1Gi', 'z1'), pool('far', '100Gi', 'z2')]
    const csiDrivers = [{ metadata: { name: 'csi.example.com' }, spec: { storageCapacity: true } }]
    const objects = provisioned(lateClass('local'), { csiStorageCapacities, csiDrivers })
    expect(sentences(objects, { [ZONE]: 'z1' })).toEqual([
      'Provisioner csi.example.com reports no CSIStorageCapacity with room for the 5Gi of claim data that node a can use: near (1Gi), far (100Gi, for other nodes).',
    ])
    expect(sentences({ ...objects, csiStorageCapacities: [] })).toEqual([
      'Provisioner csi.example.com reports no CSIStorageCapacity with room for the 5Gi of claim data that node a can use: it reports none for the class.',
    ])
  })

  test('is not explained on a node other than the selected one, which is named', () => {
    const selected = { 'volume.kubernetes.io/selected-node': 'b' }
    const objects = provisioned(lateClass('local'), {
      persistentVolumeClaims: [claim('data', { storageClassName: 'local' }, { annotations: selected })],
    })
    expect(sentences(objects)).toEqual([
      'Claim data waits for its volume on node b, which an earlier attempt selected (annotation volume.kubernetes.io/selected-node).',
    ])
  })
})

describe('a bound claim', () => {
  const bound = (...persistentVolumes: readonly PersistentVolume[]): Stored => ({
    persistentVolumeClaims: [claim('data', { volumeName: 'pv-1' })],
    persistentVolumes,
  })

  test('is explained with the labels that its volume requires', () => {
    expect(sentences(bound(free(onHost('b'))), { host: 'a' })).toEqual([
      'Claim data is bound to volume pv-1, but only nodes with host in (b) reach it; node a has host=a.',
    ])
  })

  test('is explained with the zone of its volume', () => {
    expect(sentences(bound(free({}, { labels: { [ZONE]: 'z1__z3' } })), { [ZONE]: 'z2' })).toEqual([
      `Claim data is bound to volume pv-1 with ${ZONE} z1 or z3; node a has ${ZONE}=z2.`,
    ])
  })

  test('is explained when its volume does not exist', () => {
    expect(sentences(bound())).toContain('Claim data is bound to volume pv-1, which does not exist.')
  })
})

test.for<{ it: string; spec: PersistentVolumeClaim['spec']; sentence: string }>([
  {
    it: 'a class that does not exist',
    spec: { storageClassName: 'gone' },
    sentence: 'Claim data is not bound, and its storage class gone does not exist.',
  },
  {
    it: 'a class that binds at once',
    spec: { storageClassName: 'soon' },
    sentence: 'Claim data is not bound. Its storage class soon binds volumes at once, so the pod waits for the claim.',
  },
  {
    it: 'no class',
    spec: {},
    sentence: 'Claim data is not bound and has no storage class, so it waits for a volume without a class.',
  },
])('explains an unbound claim of $it', ({ spec, sentence }) => {
  const storageClasses = [lateClass('soon', { volumeBindingMode: 'Immediate' })]
  expect(sentences({ persistentVolumeClaims: [claim('data', spec)], storageClasses })).toEqual([sentence])
})

test('explains a claim that names a volume to which it is not bound yet', () => {
  const unbound = claim('data', { storageClassName: 'soon', volumeName: 'pv-1' })
  const persistentVolumeClaims = [{ ...unbound, metadata: { ...unbound.metadata, annotations: {} } }]
  expect(sentences({ persistentVolumeClaims })).toContain(
    'Claim data is not bound to volume pv-1, which it names and which does not exist.',
  )
})
