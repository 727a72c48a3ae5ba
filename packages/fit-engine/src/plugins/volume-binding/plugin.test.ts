import { type PersistentVolume, type PersistentVolumeClaim, StatusCode, type Volume } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { input } from '../../../test/builders.ts'
import { claim, claimed, csiNode, csiVolume, labelled, lateClass, onlyWhere } from '../../../test/storage-builders.ts'
import { type Stored, stored, volume, withVolumes } from '../../../test/storage-builders.ts'
import { decide } from '../../decide/decide.ts'
import { examineFilter, type FilterStatus } from '../../framework/examine.ts'
import { createFramework } from '../../framework/framework.ts'
import { volumeBinding } from './plugin.ts'

const ZONE = 'topology.kubernetes.io/zone'
const DRIVER = 'csi.example.com'
const OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
const NOTHING = "node(s) didn't find available persistent volumes to bind"
const NO_SPACE = 'node(s) did not have enough free storage'
const NO_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'
const passed = { code: StatusCode.Success, reasons: [] }
const away = (...reasons: readonly string[]): FilterStatus => ({
  code: StatusCode.UnschedulableAndUnresolvable,
  reasons,
})

const node = labelled('a', { [ZONE]: 'z1', 'topology.ebs.csi.aws.com/zone': 'e1' })

function examine(objects: Stored, volumes: readonly Volume[] = [claimed('c')]) {
  return examineFilter(volumeBinding, stored([node], objects), withVolumes(...volumes), input)
}

/** Returns the filter's result for node `a`, which is in zone z1. */
function verdict(objects: Stored, volumes?: readonly Volume[]): FilterStatus | undefined {
  return examine(objects, volumes).nodes.get('a')
}

describe('pods that cannot run anywhere', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'other', controller: true }
  const scratch: Volume = { name: 'scratch', ephemeral: {} }
  test.for<{ it: string; claims: readonly PersistentVolumeClaim[]; wanted?: Volume; reason: string }>([
    { it: 'a claim that is not there', claims: [], reason: 'persistentvolumeclaim "c" not found' },
    {
      it: 'an ephemeral claim that is to come',
      claims: [],
      wanted: scratch,
      reason: 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"',
    },
    {
      it: "another pod's ephemeral claim",
      claims: [claim('p-scratch', {}, { ownerReferences: [owner] })],
      wanted: scratch,
      reason: 'PVC default/p-scratch was not created for pod default/p (pod is not owner)',
    },
    {
      it: 'a lost claim',
      claims: [{ ...claim('c', { volumeName: 'v' }), status: { phase: 'Lost' } }],
      reason: 'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
    },
    {
      it: 'a claim that is going',
      claims: [claim('c', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      reason: 'persistentvolumeclaim "c" is being deleted',
    },
    { it: 'an unbound claim', claims: [claim('c')], reason: 'pod has unbound immediate PersistentVolumeClaims' },
    {
      it: 'an unbound claim of a class that is gone',
      claims: [claim('c', { storageClassName: 'gone' })],
      reason: 'pod has unbound immediate PersistentVolumeClaims',
    },
    {
      it: 'a claim whose binding is not complete',
      claims: [
        { ...claim('c', { storageClassName: 'late', volumeName: 'v' }), metadata: { namespace: 'default', name: 'c' } },
      ],
      reason: 'pod has unbound immediate PersistentVolumeClaims',
    },
  ])('$it: $reason', ({ claims, wanted = claimed('c'), reason }) => {
    const objects = { persistentVolumeClaims: claims, storageClasses: [lateClass('late')] }
    expect(examine(objects, [wanted]).preFilter).toEqual({ kind: 'reject', ...away(reason) })
  })

  test('a class without a mode breaks the attempt', () => {
    const { volumeBindingMode: _mode, ...undecided } = lateClass('undecided')
    const objects = {
      persistentVolumeClaims: [claim('c', { storageClassName: 'undecided' })],
      storageClasses: [undecided],
    }
    const reasons = ['VolumeBindingMode not set for StorageClass "undecided"']
    expect(examine(objects).preFilter).toEqual({ kind: 'reject', code: StatusCode.Error, reasons })
    const framework = createFramework({ plugins: [{ plugin: volumeBinding, weight: 0 }] })
    expect(decide(framework, stored([node], objects), withVolumes(claimed('c')), input).error).toEqual({
      plugin: 'VolumeBinding',
      point: 'PreFilter',
      message: `running PreFilter plugin "VolumeBinding": ${reasons[0]}`,
    })
  })

  test('skips a pod without claims', () => {
    expect(examine({}, [{ name: 'e', emptyDir: {} }]).preFilter).toEqual({ kind: 'skip' })
  })
})

describe('bound claims', () => {
  const bound = (...volumes: readonly PersistentVolume[]): Stored => ({
    persistentVolumeClaims: [claim('c', { volumeName: 'v' })],
    persistentVolumes: volumes,
  })
  const ebs = { awsElasticBlockStore: { volumeID: 'vol-1' } }
  const migrated = { csiNodes: [csiNode('a', {}, 'kubernetes.io/gce-pd,kubernetes.io/aws-ebs')] }
  const field = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }] }
  test.for([
    { it: 'without affinity', objects: bound(csiVolume('v', DRIVER)), expected: passed },
    { it: 'of its zone', objects: bound(csiVolume('v', DRIVER, onlyWhere(ZONE, 'z1', 'z2'))), expected: passed },
    {
      it: 'of another zone',
      objects: bound(csiVolume('v', DRIVER, onlyWhere(ZONE, 'z2'))),
      expected: away(OUT_OF_REACH),
    },
    {
      it: 'with a term on a node field',
      objects: bound(volume('v', { nodeAffinity: { required: field } })),
      expected: passed,
    },
    {
      it: 'with empty terms',
      objects: bound(volume('v', { nodeAffinity: { required: { nodeSelectorTerms: [{}] } } })),
      expected: away(OUT_OF_REACH),
    },
    { it: 'that was deleted', objects: bound(), expected: away(NO_VOLUME) },
    {
      it: 'of an in-tree plugin, not migrated',
      objects: bound(volume('v', { ...ebs, ...onlyWhere(ZONE, 'z1') })),
      expected: passed,
    },
    {
      it: 'of a migrated plugin, in another zone',
      objects: { ...bound(volume('v', { ...ebs, ...onlyWhere(ZONE, 'z1') })), ...migrated },
      expected: away(OUT_OF_REACH),
    },
    {
      it: 'of a migrated plugin, in its zone',
      objects: { ...bound(volume('v', { ...ebs, ...onlyWhere(ZONE, 'e1') })), ...migrated },
      expected: passed,
    },
    {
      it: 'of a migrated plugin that keeps its labels',
      objects: {
        ...bound(volume('v', { azureDisk: { diskURI: '/d' }, ...onlyWhere(ZONE, 'z1') })),
        csiNodes: [csiNode('a', {}, 'kubernetes.io/azure-disk')],
      },
      expected: passed,
    },
    {
      it: 'of a migrated plugin, with an invalid name',
      objects: { ...bound(volume('v', { awsElasticBlockStore: { volumeID: 'aws://x' } })), ...migrated },
      expected: { code: StatusCode.Error, reasons: ['could not translate pv: "aws://x" names no EBS volume'] },
    },
  ])('a volume $it', ({ objects, expected }) => {
    expect(verdict(objects)).toEqual(expected)
  })
})

describe('claims that wait for a node', () => {
  const none = lateClass('late', { provisioner: 'kubernetes.io/no-provisioner' })
  const request = (storage: string) => ({ resources: { requests: { storage } } })
  const waiting = (name: string, spec: PersistentVolumeClaim['spec'] = {}, annotations = {}): PersistentVolumeClaim =>
    claim(
      name,
      { storageClassName: 'late', accessModes: ['ReadWriteOnce'], ...request('2Gi'), ...spec },
      { annotations },
    )
  const fitting = (
    name: string,
    spec: PersistentVolume['spec'] = {},
    more: Partial<PersistentVolume> = {},
  ): PersistentVolume => ({
    ...volume(name, {
      storageClassName: 'late',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '5Gi' },
      ...spec,
    }),
    ...more,
  })
  const reserved = (name: string, uid = '') => ({ claimRef: { namespace: 'default', name, uid } })
  const gone = { metadata: { name: 'v', deletionTimestamp: '2026-01-01T00:00:00Z' } }

  test.for<{
    it: string
    claimed?: PersistentVolumeClaim['spec']
    volumes: readonly PersistentVolume[]
    fits: boolean
  }>([
    { it: 'that matches', volumes: [fitting('v')], fits: true },
    { it: 'that is too small', volumes: [fitting('v', { capacity: { storage: '1Gi' } })], fits: false },
    { it: 'of another class', volumes: [fitting('v', { storageClassName: 'x' })], fits: false },
    { it: 'of another access mode', volumes: [fitting('v', { accessModes: ['ReadOnlyMany'] })], fits: false },
    { it: 'of another mode', volumes: [fitting('v', { volumeMode: 'Block' })], fits: false },
    { it: 'of other attributes', volumes: [fitting('v', { volumeAttributesClassName: 'gold' })], fits: false },
    { it: 'that is not available', volumes: [fitting('v', {}, { status: { phase: 'Bound' } })], fits: false },
    { it: 'that is being deleted', volumes: [fitting('v', {}, gone)], fits: false },
    { it: 'that the node cannot reach', volumes: [fitting('v', onlyWhere(ZONE, 'z2'))], fits: false },
    { it: 'reserved for another', volumes: [fitting('v', reserved('other'))], fits: false },
    {
      it: 'reserved for another claim with the same name',
      volumes: [fitting('v', reserved('c', 'older'))],
      fits: false,
    },
    {
      it: 'reserved for it, available or not',
      volumes: [fitting('v', reserved('c', 'c'), { status: { phase: 'Bound' } })],
      fits: true,
    },
    {
      it: 'reserved for it that the node cannot reach, while another matches',
      volumes: [fitting('v', { ...reserved('c'), ...onlyWhere(ZONE, 'z2') }), fitting('w')],
      fits: false,
    },
    {
      it: 'that its selector selects',
      claimed: { selector: { matchLabels: { kind: 'x' } } },
      volumes: [fitting('v', {}, { metadata: { name: 'v', labels: { kind: 'x' } } })],
      fits: true,
    },
    {
      it: 'that its selector does not select',
      claimed: { selector: { matchLabels: { kind: 'x' } } },
      volumes: [fitting('v')],
      fits: false,
    },
  ])('use a volume $it: $fits', ({ claimed: spec, volumes, fits }) => {
    const objects = {
      persistentVolumeClaims: [waiting('c', spec)],
      persistentVolumes: volumes,
      storageClasses: [none],
    }
    expect(verdict(objects)).toEqual(fits ? passed : away(NOTHING))
  })

  test('get one volume each, the smallest claim the smallest volume', () => {
    const objects = {
      persistentVolumeClaims: [waiting('big', request('4Gi')), waiting('small')],
      persistentVolumes: [fitting('v5'), fitting('v3', { capacity: { storage: '3Gi' } })],
      storageClasses: [none],
    }
    const both = [claimed('big'), claimed('small')]
    expect(verdict(objects, both)).toEqual(passed)
    expect(verdict({ ...objects, persistentVolumes: [fitting('v5')] }, both)).toEqual(away(NOTHING))
  })

  test('fail the attempt when their selector is invalid', () => {
    const selector = { matchExpressions: [{ key: 'kind', operator: 'Gt', values: ['1'] }] }
    const objects = { persistentVolumeClaims: [waiting('c', { selector })], storageClasses: [none] }
    expect(verdict(objects)).toEqual({
      code: StatusCode.Error,
      reasons: [
        'error creating internal label selector for claim: default/c: "Gt" is not a valid label selector operator',
      ],
    })
  })

  const odd = 'parse quantity "zzz": quantities must match'
  test('skip volumes whose capacity is not a quantity, and report it when there is no other', () => {
    const bad = ['x', 'y'].map((name) => fitting(name, { capacity: { storage: 'zzz' } }))
    const claims = { persistentVolumeClaims: [waiting('c')], storageClasses: [none] }
    expect(verdict({ ...claims, persistentVolumes: [...bad, fitting('v')] })).toEqual(passed)
    const left = verdict({ ...claims, persistentVolumes: bad })
    expect(left).toMatchObject(away(NOTHING, expect.stringContaining(`read persistent volume x: ${odd}`) as string))
    expect(left?.reasons[1]).toMatch(/; it and 1 more are left out$/)
  })

  test('skip storage capacities that are not quantities, and report it when there is no other', () => {
    const pool = (name: string, capacity: string) => ({
      metadata: { name, namespace: 'x' },
      storageClassName: 'late',
      nodeTopology: {},
      capacity,
    })
    const objects = {
      persistentVolumeClaims: [waiting('c')],
      storageClasses: [lateClass('late')],
      csiDrivers: [{ metadata: { name: DRIVER }, spec: { storageCapacity: true } }],
    }
    expect(verdict({ ...objects, csiStorageCapacities: [pool('bad', 'zzz'), pool('good', '5Gi')] })).toEqual(passed)
    const left = verdict({ ...objects, csiStorageCapacities: [pool('bad', 'zzz')] })
    expect(left).toMatchObject(away(NO_SPACE, expect.stringContaining(`read storage capacity x/bad: ${odd}`) as string))
    expect(left?.reasons[1]).toMatch(/; it is left out$/)
  })

  const zoned = (...terms: NonNullable<ReturnType<typeof lateClass>['allowedTopologies']>) => ({
    storageClasses: [lateClass('late', { allowedTopologies: terms })],
  })
  const term = (key: string, ...values: readonly string[]) => ({ matchLabelExpressions: [{ key, values }] })
  const opted = { csiDrivers: [{ metadata: { name: DRIVER }, spec: { storageCapacity: true } }] }
  const room = (storageClassName: string, more: object) => ({
    csiStorageCapacities: [{ metadata: { name: 'room', namespace: 'x' }, storageClassName, nodeTopology: {}, ...more }],
  })
  test.for<{ it: string; objects: Stored; annotations?: Readonly<Record<string, string>>; expected: FilterStatus }>([
    { it: 'anywhere', objects: {}, expected: passed },
    {
      it: 'without a provisioner',
      objects: { storageClasses: [lateClass('late', { provisioner: '' })] },
      expected: away(NOTHING),
    },
    { it: 'in its zone', objects: zoned(term(ZONE, 'z2'), term(ZONE, 'z1')), expected: passed },
    { it: 'in another zone', objects: zoned(term(ZONE, 'z2')), expected: away(NOTHING) },
    { it: 'by an empty term', objects: zoned({}), expected: away(NOTHING) },
    { it: 'by a term without values', objects: zoned(term(ZONE)), expected: away(NOTHING) },
    {
      it: 'by a driver with enough capacity',
      objects: { ...opted, ...room('late', { capacity: '2Gi' }) },
      expected: passed,
    },
    {
      it: 'by a driver with too little capacity',
      objects: { ...opted, ...room('late', { capacity: '1Gi' }) },
      expected: away(NO_SPACE),
    },
    {
      it: 'by a driver with a small maximum volume size',
      objects: { ...opted, ...room('late', { capacity: '9Gi', maximumVolumeSize: '1Gi' }) },
      expected: away(NO_SPACE),
    },
    {
      it: 'by a driver with unknown capacity',
      objects: { ...opted, ...room('late', {}) },
      expected: away(NO_SPACE),
    },
    {
      it: 'by a driver with capacity elsewhere',
      objects: { ...opted, ...room('late', { capacity: '9Gi', nodeTopology: { matchLabels: { [ZONE]: 'z2' } } }) },
      expected: away(NO_SPACE),
    },
    {
      it: 'by a driver with capacity that no selector matches',
      objects: {
        ...opted,
        ...room('late', { capacity: '9Gi', nodeTopology: { matchExpressions: [{ key: 'x', operator: 'Gt' }] } }),
      },
      expected: away(NO_SPACE),
    },
    {
      it: 'by a driver without capacity objects',
      objects: { ...opted, ...room('late', { capacity: '9Gi', nodeTopology: null }) },
      expected: away(NO_SPACE),
    },
    {
      it: 'by a driver with capacity for another class',
      objects: { ...opted, ...room('x', { capacity: '9Gi' }) },
      expected: away(NO_SPACE),
    },
    {
      it: 'by a driver that does not publish capacity',
      objects: { csiDrivers: [{ metadata: { name: DRIVER }, spec: {} }] },
      expected: passed,
    },
    {
      it: 'on the node that was chosen',
      annotations: { 'volume.kubernetes.io/selected-node': 'a' },
      objects: {},
      expected: passed,
    },
    {
      it: 'on another node',
      annotations: { 'volume.kubernetes.io/selected-node': 'b' },
      objects: { persistentVolumes: [fitting('v')] },
      expected: away(NOTHING),
    },
  ])('have a volume provisioned $it', ({ objects, annotations, expected }) => {
    const all = {
      persistentVolumeClaims: [waiting('c', {}, annotations)],
      storageClasses: [lateClass('late')],
      ...objects,
    }
    expect(verdict(all)).toEqual(expected)
  })

  test('add their reasons to those of a bound claim', () => {
    const objects = {
      persistentVolumeClaims: [claim('c', { volumeName: 'v' }), waiting('d')],
      persistentVolumes: [csiVolume('v', DRIVER, onlyWhere(ZONE, 'z2'))],
      storageClasses: [none],
    }
    expect(verdict(objects, [claimed('c'), claimed('d')])).toEqual(away(OUT_OF_REACH, NOTHING))
  })

  test('use the class in the beta annotation', () => {
    const metadata = { annotations: { 'volume.beta.kubernetes.io/storage-class': 'late' } }
    const objects = {
      persistentVolumeClaims: [claim('c', { storageClassName: 'x' }, metadata)],
      persistentVolumes: [volume('v', { storageClassName: 'x' }, metadata)],
      storageClasses: [none],
    }
    expect(verdict(objects)).toEqual(passed)
  })
})
