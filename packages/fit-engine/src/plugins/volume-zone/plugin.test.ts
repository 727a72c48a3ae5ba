import { type PersistentVolumeClaim, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { input } from '../../../test/builders.ts'
import { claim, claimed, labelled, lateClass, stored, volume, withVolumes } from '../../../test/storage-builders.ts'
import { examineFilter } from '../../framework/examine.ts'
import { volumeZone } from './plugin.ts'

const ZONE = 'topology.kubernetes.io/zone'
const ZONE_BETA = 'failure-domain.beta.kubernetes.io/zone'
const REGION = 'topology.kubernetes.io/region'

describe('VolumeZone', () => {
  test.for([
    { it: 'in its zone', volumeLabels: { [ZONE]: 'z1' }, nodeLabels: { [ZONE]: 'z1' }, fits: true },
    { it: 'in another zone', volumeLabels: { [ZONE]: 'z1' }, nodeLabels: { [ZONE]: 'z2' }, fits: false },
    { it: 'in one of its zones', volumeLabels: { [ZONE]: 'z1__z2' }, nodeLabels: { [ZONE]: 'z2' }, fits: true },
    {
      it: 'with a region but no zone',
      volumeLabels: { [ZONE]: 'z1' },
      nodeLabels: { [REGION]: 'r' },
      fits: false,
    },
    { it: 'without any such label', volumeLabels: { [ZONE]: 'z1' }, nodeLabels: { disk: 'ssd' }, fits: true },
    {
      it: 'with the current label for the beta one',
      volumeLabels: { [ZONE_BETA]: 'z1' },
      nodeLabels: { [ZONE]: 'z1' },
      fits: true,
    },
    {
      it: 'with the beta label for the current one',
      volumeLabels: { [ZONE]: 'z1' },
      nodeLabels: { [ZONE_BETA]: 'z1' },
      fits: false,
    },
    {
      it: 'in its zone, not in its region',
      volumeLabels: { [ZONE]: 'z1', [REGION]: 'r1' },
      nodeLabels: { [ZONE]: 'z1', [REGION]: 'r2' },
      fits: false,
    },
  ])('on a node $it a volume fits: $fits', ({ volumeLabels, nodeLabels, fits }) => {
    const state = stored([labelled('a', nodeLabels)], {
      persistentVolumeClaims: [claim('x', { volumeName: 'v' })],
      persistentVolumes: [volume('v', {}, { labels: volumeLabels })],
    })
    const { nodes } = examineFilter(volumeZone, state, withVolumes(claimed('x')), input)
    expect(nodes.get('a')).toEqual(
      fits
        ? { code: StatusCode.Success, reasons: [] }
        : { code: StatusCode.UnschedulableAndUnresolvable, reasons: ['node(s) had no available volume zone'] },
    )
  })

  test.for([
    { it: 'without labels', labels: {} },
    { it: 'whose label holds an empty zone', labels: { [ZONE]: 'z1__' } },
  ])('skips a volume $it', ({ labels }) => {
    const state = stored([labelled('a', { [ZONE]: 'z2' })], {
      persistentVolumeClaims: [claim('x', { volumeName: 'v' })],
      persistentVolumes: [volume('v', {}, { labels })],
    })
    expect(examineFilter(volumeZone, state, withVolumes(claimed('x')), input).preFilter).toEqual({ kind: 'skip' })
  })

  test('skips pods without claims, and claims that wait for their first consumer', () => {
    const state = stored([labelled('a')], {
      persistentVolumeClaims: [claim('x', { storageClassName: 'late' })],
      storageClasses: [lateClass('late')],
    })
    const other = { name: 'e', emptyDir: {} }
    expect(examineFilter(volumeZone, state, withVolumes(other), input).preFilter).toEqual({ kind: 'skip' })
    expect(examineFilter(volumeZone, state, withVolumes(other, claimed('x')), input).preFilter).toEqual({
      kind: 'skip',
    })
  })

  const soon = lateClass('soon', { volumeBindingMode: 'Immediate' })
  const { volumeBindingMode: _mode, ...undecided } = lateClass('undecided')
  test.for<{ it: string; spec?: PersistentVolumeClaim['spec']; name?: string; reason: string }>([
    { it: 'no name', name: '', reason: 'PersistentVolumeClaim had no name' },
    { it: 'an unknown name', reason: 'persistentvolumeclaim "x" not found' },
    { it: 'a deleted volume', spec: { volumeName: 'v' }, reason: 'persistentvolume "v" not found' },
    { it: 'neither volume nor class', spec: {}, reason: 'PersistentVolumeClaim had no pv name and storageClass name' },
    {
      it: 'a deleted class',
      spec: { storageClassName: 'gone' },
      reason: 'storageclass.storage.k8s.io "gone" not found',
    },
    {
      it: 'a class without a mode',
      spec: { storageClassName: 'undecided' },
      reason: 'VolumeBindingMode not set for StorageClass "undecided"',
    },
    { it: 'no volume yet', spec: { storageClassName: 'soon' }, reason: 'PersistentVolume had no name' },
  ])('rejects a pod whose claim has $it: $reason', ({ spec, name = 'x', reason }) => {
    const persistentVolumeClaims = spec === undefined ? [] : [claim('x', spec)]
    const state = stored([labelled('a')], { persistentVolumeClaims, storageClasses: [soon, undecided] })
    expect(examineFilter(volumeZone, state, withVolumes(claimed(name)), input).preFilter).toEqual({
      kind: 'reject',
      code: StatusCode.UnschedulableAndUnresolvable,
      reasons: [reason],
    })
  })
})
