import { StatusCode, type Volume } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { input } from '../../../test/builders.ts'
import { claim, claimed, csiNode, csiVolume, holder, labelled, lateClass } from '../../../test/storage-builders.ts'
import { type Stored, stored, volume, withVolumes } from '../../../test/storage-builders.ts'
import { decide } from '../../decide/decide.ts'
import { examineFilter, type FilterStatus } from '../../framework/examine.ts'
import { createFramework } from '../../framework/framework.ts'
import { nodeVolumeLimits } from './plugin.ts'

const DRIVER = 'csi.example.com'
const passed = { code: StatusCode.Success, reasons: [] }
const full = { code: StatusCode.Unschedulable, reasons: ['node(s) exceed max volume count'] }

/** Returns the filter's result for node `a`. */
function verdict(
  volumes: readonly Volume[],
  objects: Stored,
  pods: Parameters<typeof stored>[2] = [],
): FilterStatus | undefined {
  const state = stored([labelled('a')], objects, pods)
  return examineFilter(nodeVolumeLimits(), state, withVolumes(...volumes), input).nodes.get('a')
}

const volumes = ['v1', 'v2', 'v3'].map((name) => csiVolume(name, DRIVER))
const claims = ['v1', 'v2', 'v3'].map((volumeName) => claim(`of-${volumeName}`, { volumeName }))
const base: Stored = { persistentVolumes: volumes, persistentVolumeClaims: claims }
const limited = (count: number | undefined, driver = DRIVER): Stored => ({
  ...base,
  csiNodes: [csiNode('a', { [driver]: count })],
})
const attachment = (name: string, persistentVolumeName: string | undefined, attacher = DRIVER) => ({
  metadata: { name },
  spec: { attacher, nodeName: 'a', source: persistentVolumeName === undefined ? {} : { persistentVolumeName } },
})

describe('a node with a limit for a driver', () => {
  const two = [holder('h1', 'a', claimed('of-v1')), holder('h2', 'a', claimed('of-v2'))]
  test.for([
    { it: 'accepts the last volume', objects: limited(3), pods: two, expected: passed },
    { it: 'rejects one volume more', objects: limited(2), pods: two, expected: full },
    { it: 'accepts any number without a limit', objects: limited(undefined), pods: two, expected: passed },
    { it: 'accepts any number of other drivers', objects: limited(0, 'other'), pods: two, expected: passed },
    { it: 'accepts any number without a CSINode', objects: base, pods: two, expected: passed },
    {
      it: 'accepts a volume that is already attached',
      objects: limited(1),
      pods: [holder('h', 'a', claimed('of-v3'))],
      expected: passed,
    },
    {
      it: 'does not count a volume twice',
      objects: limited(2),
      pods: [holder('h1', 'a', claimed('of-v1')), holder('h2', 'a', claimed('of-v1'))],
      expected: passed,
    },
    {
      it: 'ignores deleted claims of other pods',
      objects: limited(1),
      pods: [holder('h', 'a', claimed('gone'))],
      expected: passed,
    },
    {
      it: 'counts an attached volume that no pod uses',
      objects: { ...limited(1), volumeAttachments: [attachment('t', 'v1')] },
      pods: [],
      expected: full,
    },
    {
      it: 'counts an attached volume of a pod once',
      objects: { ...limited(2), volumeAttachments: [attachment('t', 'v1')] },
      pods: [holder('h', 'a', claimed('of-v1'))],
      expected: passed,
    },
    {
      it: 'ignores attachments without a CSI volume or an attacher',
      objects: {
        ...limited(1),
        persistentVolumes: [...volumes, volume('disk')],
        volumeAttachments: [
          attachment('t1', undefined),
          attachment('t2', 'gone'),
          attachment('t3', 'disk'),
          attachment('t4', 'v1', ''),
          { ...attachment('t5', 'v1'), spec: { ...attachment('t5', 'v1').spec, nodeName: 'b' } },
        ],
      },
      pods: [],
      expected: passed,
    },
  ])('$it', ({ objects, pods, expected }) => {
    expect(verdict([claimed('of-v3')], objects, pods)).toEqual(expected)
  })
})

describe('volumes count', () => {
  const ebs = 'ebs.csi.aws.com'
  const none = (driver: string): Stored => ({ csiNodes: [csiNode('a', { [driver]: 0 })] })
  const disk = (spec: Parameters<typeof volume>[1], driver: string): Stored => ({
    ...none(driver),
    persistentVolumeClaims: [claim('c', { volumeName: 'v' })],
    persistentVolumes: [volume('v', spec)],
  })
  const unboundClaim = (provisioner: string, driver: string): Stored => ({
    ...none(driver),
    persistentVolumeClaims: [claim('c', { storageClassName: 'late' })],
    storageClasses: [lateClass('late', { provisioner })],
  })
  const inline = (source: Partial<Volume>): Volume => ({ name: 'i', ...source })
  test.for([
    { it: 'inline EBS', wanted: inline({ awsElasticBlockStore: { volumeID: 'vol-1' } }), objects: none(ebs) },
    {
      it: 'inline GCE',
      wanted: inline({ gcePersistentDisk: { pdName: 'd' } }),
      objects: none('pd.csi.storage.gke.io'),
    },
    { it: 'inline Cinder', wanted: inline({ cinder: { volumeID: 'k' } }), objects: none('cinder.csi.openstack.org') },
    {
      it: 'inline Azure',
      wanted: inline({ azureDisk: { diskName: 'd', diskURI: '/d' } }),
      objects: none('disk.csi.azure.com'),
    },
    { it: 'inline Portworx', wanted: inline({ portworxVolume: { volumeID: 'p' } }), objects: none('pxd.portworx.com') },
    { it: 'an EBS volume', wanted: claimed('c'), objects: disk({ awsElasticBlockStore: { volumeID: 'vol-1' } }, ebs) },
    {
      it: 'a GCE disk in a zone',
      wanted: claimed('c'),
      objects: disk({ gcePersistentDisk: { pdName: 'd' } }, 'pd.csi.storage.gke.io'),
    },
    { it: 'a volume to be provisioned', wanted: claimed('c'), objects: unboundClaim(DRIVER, DRIVER) },
    {
      it: 'a migrated volume to be provisioned',
      wanted: claimed('c'),
      objects: unboundClaim('kubernetes.io/aws-ebs', ebs),
    },
    {
      it: 'a deleted volume that could be provisioned again',
      wanted: claimed('c'),
      objects: {
        ...unboundClaim(DRIVER, DRIVER),
        persistentVolumeClaims: [claim('c', { storageClassName: 'late', volumeName: 'gone' })],
      },
    },
  ])('when the pod has $it', ({ wanted, objects }) => {
    expect(verdict([wanted], objects)).toEqual(full)
    expect(verdict([wanted], { ...objects, csiNodes: [] })).toEqual(passed)
  })

  test.for([
    { it: 'an inline Azure share', wanted: inline({ azureFile: {} }), objects: none('file.csi.azure.com') },
    { it: 'a local disk', wanted: claimed('c'), objects: disk({ local: {} }, DRIVER) },
    {
      it: 'an invalid EBS volume id',
      wanted: claimed('c'),
      objects: disk({ awsElasticBlockStore: { volumeID: 'aws://x' } }, ebs),
    },
    { it: 'a vSphere disk', wanted: claimed('c'), objects: disk({ vsphereVolume: {} }, 'csi.vsphere.vmware.com') },
    {
      it: 'an empty handle',
      wanted: claimed('c'),
      objects: disk({ csi: { driver: DRIVER, volumeHandle: '' } }, DRIVER),
    },
    {
      it: 'an Azure share to be provisioned',
      wanted: claimed('c'),
      objects: unboundClaim('kubernetes.io/azure-file', 'file.csi.azure.com'),
    },
    {
      it: 'a claim without class',
      wanted: claimed('c'),
      objects: { ...none(DRIVER), persistentVolumeClaims: [claim('c')] },
    },
  ])('not when the pod has $it', ({ wanted, objects }) => {
    expect(verdict([wanted], objects)).toEqual(passed)
  })

  test('not at all for pods without claims and disks', () => {
    const state = stored([labelled('a')], none(DRIVER))
    const other = withVolumes({ name: 'e', csi: { driver: DRIVER } })
    expect(examineFilter(nodeVolumeLimits(), state, other, input).preFilter).toEqual({ kind: 'skip' })
  })
})

describe('volumes that cannot be counted', () => {
  const scratch: Volume = { name: 'scratch', ephemeral: {} }
  const owned = (uid: string): Stored => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }
    return {
      ...limited(0),
      persistentVolumeClaims: [claim('p-scratch', { volumeName: 'v1' }, { ownerReferences: [owner] })],
    }
  }

  test('reject the node while the claim is missing', () => {
    expect(verdict([claimed('gone')], base)).toEqual({
      code: StatusCode.UnschedulableAndUnresolvable,
      reasons: ['looking up PVC default/gone: persistentvolumeclaim "gone" not found'],
    })
  })

  test.for([
    {
      it: 'a claim without a name',
      wanted: claimed(''),
      objects: limited(1),
      says: 'PersistentVolumeClaim had no name',
    },
    {
      it: "another pod's ephemeral claim",
      wanted: scratch,
      objects: owned('other'),
      says: 'PVC default/p-scratch was not created for pod default/p (pod is not owner)',
    },
    {
      it: 'an invalid EBS volume id',
      wanted: { name: 'i', awsElasticBlockStore: { volumeID: 'aws://x' } },
      objects: limited(1),
      says: 'converting volume(i) from inline to csi: "aws://x" names no EBS volume',
    },
    {
      it: 'an Azure disk without a driver',
      wanted: { name: 'i', azureDisk: { diskName: 'd', diskURI: 'd', kind: 'Dedicated' } },
      objects: limited(1),
      says: 'converting volume(i) from inline to csi: Azure disks of kind Dedicated have no CSI driver',
    },
  ] satisfies { it: string; wanted: Volume; objects: Stored; says: string }[])(
    'break the attempt: $it',
    ({ wanted, objects, says }) => {
      expect(verdict([wanted], objects)).toEqual({ code: StatusCode.Error, reasons: [says] })
      const framework = createFramework({ plugins: [{ plugin: nodeVolumeLimits(), weight: 0 }] })
      const { error, feasible } = decide(framework, stored([labelled('a')], objects), withVolumes(wanted), input)
      expect(feasible).toEqual([])
      expect(error).toEqual({
        plugin: 'NodeVolumeLimits',
        point: 'Filter',
        message: `running Filter plugin "NodeVolumeLimits": ${says}`,
      })
    },
  )

  test('fail the attempt also when they belong to a pod on the node', () => {
    const pods = [holder('h', 'a', claimed(''))]
    expect(verdict([claimed('of-v3')], limited(5), pods)?.code).toBe(StatusCode.Error)
  })

  test('are accepted when the pod owns the ephemeral claim', () => {
    expect(verdict([scratch], owned('p'))).toEqual(full)
  })

  test('of several zones without a region are ignored', () => {
    const labels = { 'topology.kubernetes.io/zone': 'z1__z2' }
    const objects: Stored = {
      csiNodes: [csiNode('a', { 'pd.csi.storage.gke.io': 0 })],
      persistentVolumeClaims: [claim('c', { volumeName: 'v' })],
      persistentVolumes: [volume('v', { gcePersistentDisk: { pdName: 'd' } }, { labels })],
    }
    expect(verdict([claimed('c')], objects)).toEqual(passed)
  })
})

test('the filter follows every change despite its cache, also in a fork of the state', () => {
  const plugin = nodeVolumeLimits()
  const state = stored([labelled('a')], limited(2), [holder('h1', 'a', claimed('of-v1'))])
  const codeIn = (asked: typeof state): number | undefined =>
    examineFilter(plugin, asked, withVolumes(claimed('of-v3')), input).nodes.get('a')?.code
  expect(codeIn(state)).toBe(StatusCode.Success)
  state.objects.set('volumeAttachments', attachment('t', 'v2'))
  expect(codeIn(state)).toBe(StatusCode.Unschedulable)
  const copy = state.fork()
  copy.objects.delete('volumeAttachments', 't')
  expect(codeIn(copy)).toBe(StatusCode.Success)
  expect(codeIn(state)).toBe(StatusCode.Unschedulable)
  copy.setPod(holder('h2', 'a', claimed('of-v2')))
  expect(codeIn(copy)).toBe(StatusCode.Unschedulable)
  copy.objects.delete('persistentVolumes', 'v2')
  expect(codeIn(copy)).toBe(StatusCode.Success)
  copy.objects.set('persistentVolumes', csiVolume('v2', DRIVER))
  expect(codeIn(copy)).toBe(StatusCode.Unschedulable)
  copy.objects.delete('persistentVolumeClaims', 'default/of-v2')
  expect(codeIn(copy)).toBe(StatusCode.Success)
  copy.objects.set('csiNodes', csiNode('a', { [DRIVER]: 1 }))
  expect(codeIn(copy)).toBe(StatusCode.Unschedulable)
})
