import { describe, expect, test } from 'vitest'
import { claim, claimed, labelled, lateClass, onlyWhere, stored, volume } from '../../../test/storage-builders.ts'
import { withVolumes } from '../../../test/storage-builders.ts'
import { assumeVolumes } from './assume-volumes.ts'
import { claimForNode, planVolumes, volumeForClaim } from './plan-volumes.ts'

const HOST = 'kubernetes.io/hostname'
const node = labelled('a', { [HOST]: 'a' })
const late = { storageClassName: 'late' }
const local = (name: string, storage: string, host = 'a') =>
  volume(name, { ...late, ...onlyWhere(HOST, host), capacity: { storage } })
const asking = (name: string, storage: string) => claim(name, { ...late, resources: { requests: { storage } } })

describe('planVolumes', () => {
  test('gives the smallest volumes on the node to the claims, and provisions for the others', () => {
    const state = stored([node], {
      storageClasses: [lateClass('late')],
      persistentVolumes: [local('ten', '10Gi'), local('five', '5Gi'), local('far', '1Gi', 'b')],
      persistentVolumeClaims: [asking('big', '8Gi'), asking('huge', '80Gi'), asking('small', '1Gi')],
    })
    const plan = planVolumes(withVolumes(claimed('huge'), claimed('big'), claimed('small')), node, state.objects)
    if (plan.kind !== 'found') throw new Error(plan.kind)
    expect(plan.matches.map((match) => [match.claim.metadata.name, match.volume.metadata.name])).toEqual([
      ['small', 'five'],
      ['big', 'ten'],
    ])
    expect(plan.provisioned.map(({ metadata }) => metadata.name)).toEqual(['huge'])
  })

  test('has nothing to bind for a pod whose claims are bound', () => {
    const state = stored([node], { persistentVolumeClaims: [claim('c', { volumeName: 'pv' })] })
    expect(planVolumes(withVolumes(claimed('c')), node, state.objects)).toEqual({ kind: 'bound' })
    expect(planVolumes(withVolumes(), node, state.objects)).toEqual({ kind: 'bound' })
  })

  test.for([
    { it: 'a missing claim', objects: {} },
    { it: 'an unbound claim of no class', objects: { persistentVolumeClaims: [claim('c')] } },
    {
      it: 'no volume and no provisioner',
      objects: {
        persistentVolumeClaims: [asking('c', '1Gi')],
        storageClasses: [lateClass('late', { provisioner: 'kubernetes.io/no-provisioner' })],
      },
    },
  ])('rejects the node for $it', ({ objects }) => {
    const state = stored([node], objects)
    expect(planVolumes(withVolumes(claimed('c')), node, state.objects)).toEqual({ kind: 'rejected' })
  })
})

describe('volumeForClaim', () => {
  const owner = claim('c', late, { resourceVersion: '7' })
  const reference = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name: 'c',
    namespace: 'default',
    uid: 'c',
    resourceVersion: '7',
  }

  test('marks a binding that the user did not make', () => {
    const bound = volumeForClaim(volume('pv'), owner)
    expect(bound.spec.claimRef).toEqual(reference)
    expect(bound.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' })
  })

  test('adds the uid to a volume that its user reserved, without the mark', () => {
    const bound = volumeForClaim(volume('pv', { claimRef: { namespace: 'default', name: 'c' } }), owner)
    expect(bound.spec.claimRef).toEqual(reference)
    expect(bound.metadata.annotations).toBeUndefined()
  })

  test('returns a volume that has the reference unchanged', () => {
    const bound = volume('pv', { claimRef: { namespace: 'default', name: 'c', uid: 'c' } })
    expect(volumeForClaim(bound, owner)).toBe(bound)
    const selected = claimForNode(owner, 'a')
    expect(claimForNode(selected, 'a')).toBe(selected)
    expect(claimForNode(selected, 'b').metadata.annotations).toEqual({ 'volume.kubernetes.io/selected-node': 'b' })
  })
})

test('an assumed volume is not given to another claim, and an assumed claim belongs to its node', () => {
  const other = labelled('b', { [HOST]: 'b' })
  const state = stored([node, other], {
    storageClasses: [
      lateClass('late', { provisioner: 'kubernetes.io/no-provisioner' }),
      lateClass('fast', { provisioner: 'disk.example.com' }),
    ],
    persistentVolumes: [local('only', '1Gi')],
    persistentVolumeClaims: [asking('one', '1Gi'), asking('two', '1Gi'), claim('new', { storageClassName: 'fast' })],
  })
  const kindOf = (name: string, at = node): string => planVolumes(withVolumes(claimed(name)), at, state.objects).kind
  expect([kindOf('two'), kindOf('new', other)]).toEqual(['found', 'found'])
  assumeVolumes(state, withVolumes(claimed('one')), 'a')
  assumeVolumes(state, withVolumes(claimed('new')), 'a')
  expect([kindOf('one'), kindOf('two')]).toEqual(['found', 'rejected'])
  expect([kindOf('new'), kindOf('new', other)]).toEqual(['found', 'rejected'])
})
