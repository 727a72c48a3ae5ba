import { StatusCode, type Volume } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { input, pod } from '../../../test/builders.ts'
import { claim, claimed, holder, labelled, stored, withVolumes } from '../../../test/storage-builders.ts'
import { decide } from '../../decide/decide.ts'
import { examineFilter } from '../../framework/examine.ts'
import { createFramework } from '../../framework/framework.ts'
import { preempt } from '../../preemption/preempt.ts'
import { volumeRestrictions } from './plugin.ts'

const gce = (pdName: string, readOnly = false): Volume => ({ name: 'v', gcePersistentDisk: { pdName, readOnly } })
const ebs = (volumeID: string): Volume => ({ name: 'v', awsElasticBlockStore: { volumeID, readOnly: true } })
const iscsi = (iqn: string, readOnly = false): Volume => ({ name: 'v', iscsi: { iqn, readOnly } })
const rbd = (monitors: readonly string[], more: Partial<Volume['rbd']> = {}): Volume => ({
  name: 'v',
  rbd: { monitors, image: 'i', ...more },
})
const names = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const framework = createFramework({ plugins: [{ plugin: volumeRestrictions, weight: 0 }] })
const inUse =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'

describe('disks', () => {
  test.for([
    { it: 'a GCE disk that both write', wanted: gce('d'), used: gce('d'), fits: false },
    { it: 'a GCE disk that one writes', wanted: gce('d', true), used: gce('d'), fits: false },
    { it: 'a GCE disk that both read', wanted: gce('d', true), used: gce('d', true), fits: true },
    { it: 'another GCE disk', wanted: gce('d'), used: gce('e'), fits: true },
    { it: 'an EBS volume, even to read', wanted: ebs('e'), used: ebs('e'), fits: false },
    { it: 'another EBS volume', wanted: ebs('e'), used: ebs('f'), fits: true },
    { it: 'an iSCSI target that one writes', wanted: iscsi('q'), used: iscsi('q', true), fits: false },
    { it: 'an iSCSI target that both read', wanted: iscsi('q', true), used: iscsi('q', true), fits: true },
    { it: 'an RBD image with a monitor in common', wanted: rbd(['a', 'b']), used: rbd(['b']), fits: false },
    { it: 'an RBD image of other monitors', wanted: rbd(['a']), used: rbd(['b']), fits: true },
    { it: 'an RBD image of another pool', wanted: rbd(['a'], { pool: 'x' }), used: rbd(['a']), fits: true },
    { it: 'another RBD image', wanted: rbd(['a']), used: rbd(['a'], { image: 'j' }), fits: true },
    {
      it: 'an RBD image that both read',
      wanted: rbd(['a'], { readOnly: true }),
      used: rbd(['a'], { readOnly: true }),
      fits: true,
    },
    { it: 'an RBD image without monitors', wanted: rbd([]), used: rbd([]), fits: true },
    {
      it: 'an RBD image that one writes',
      wanted: rbd(['a'], { readOnly: true }),
      used: rbd(['b', 'a']),
      fits: false,
    },
    { it: 'a disk of another kind', wanted: gce('d'), used: ebs('d'), fits: true },
  ])('$it on one node: fits $fits', ({ wanted, used, fits }) => {
    const state = stored([labelled('a'), labelled('b')], {}, [holder('h', 'a', used)])
    const { nodes } = examineFilter(volumeRestrictions, state, withVolumes(wanted), input)
    expect(nodes.get('b')?.code).toBe(StatusCode.Success)
    expect(nodes.get('a')).toEqual(
      fits
        ? { code: StatusCode.Success, reasons: [] }
        : { code: StatusCode.Unschedulable, reasons: ['node(s) had no available disk'] },
    )
  })
})

test.for<{ it: string; volumes: (count: number, prefix: string) => readonly Volume[] }>([
  { it: 'the monitors of an RBD image', volumes: (count, prefix) => [rbd(names(count, prefix))] },
  { it: 'RBD images', volumes: (count, prefix) => names(count, prefix).map((image) => rbd(['m'], { image })) },
  { it: 'GCE disks', volumes: (count, prefix) => names(count, prefix).map((name) => gce(name)) },
])('work grows linearly with $it', ({ volumes }) => {
  const reads = (count: number): number => {
    let done = 0
    const counted = (list: readonly Volume[]): readonly Volume[] =>
      JSON.parse(JSON.stringify(list), (_key, value: unknown) =>
        typeof value === 'object' && value !== null
          ? new Proxy(value, { get: (target, key): unknown => ((done += 1), Reflect.get(target, key)) })
          : value,
      ) as readonly Volume[]
    const state = stored([labelled('a')], {}, [holder('h', 'a', ...counted(volumes(count, 'x')))])
    const asked = withVolumes(...counted(volumes(count, 'y')))
    expect(examineFilter(volumeRestrictions, state, asked, input).nodes.get('a')?.code).toBe(StatusCode.Success)
    return done
  }
  expect(reads(400)).toBeLessThan(reads(200) * 2.2 + 100)
})

describe('ReadWriteOncePod claims', () => {
  const exclusive = { persistentVolumeClaims: [claim('x', { accessModes: ['ReadWriteOncePod'] })] }

  test('reject every node while a pod uses them anywhere', () => {
    const state = stored([labelled('a'), labelled('b')], exclusive, [holder('h', 'a', claimed('x'))])
    const { nodes } = examineFilter(volumeRestrictions, state, withVolumes(claimed('x')), input)
    for (const name of ['a', 'b']) {
      expect(nodes.get(name)).toEqual({ code: StatusCode.Unschedulable, reasons: [inUse] })
    }
  })

  test.for([
    { it: 'no pod uses it', pods: [] },
    { it: 'the pod that uses it is on an unknown node', pods: [holder('h', 'gone', claimed('x'))] },
    { it: 'a pod of another namespace uses a claim with the same name', pods: [foreign('a')] },
  ])('are skipped when $it', ({ pods }) => {
    const state = stored([labelled('a')], exclusive, pods)
    expect(examineFilter(volumeRestrictions, state, withVolumes(claimed('x')), input).preFilter).toEqual({
      kind: 'skip',
    })
  })

  test('other access modes are skipped', () => {
    const shared = { persistentVolumeClaims: [claim('x', { accessModes: ['ReadWriteMany'] })] }
    const state = stored([labelled('a')], shared, [holder('h', 'a', claimed('x'))])
    expect(examineFilter(volumeRestrictions, state, withVolumes(claimed('x')), input).preFilter).toEqual({
      kind: 'skip',
    })
  })

  test('must exist', () => {
    const { preFilter } = examineFilter(volumeRestrictions, stored([labelled('a')]), withVolumes(claimed('x')), input)
    expect(preFilter).toEqual({
      kind: 'reject',
      code: StatusCode.UnschedulableAndUnresolvable,
      reasons: ['persistentvolumeclaim "x" not found'],
    })
  })

  test('are free when the pod that uses them is preempted', () => {
    const state = stored([labelled('a'), labelled('b')], exclusive, [holder('h', 'a', claimed('x'))])
    const candidate = pod('p', {}, { priority: 10, volumes: [claimed('x')] })
    const decision = decide(framework, state, candidate, input)
    const { candidates } = preempt(framework, state, candidate, decision, { ...input, disruptionBudgets: [] })
    expect(candidates.map(({ node, victims }) => [node, victims.map(({ metadata }) => metadata.name)])).toEqual([
      ['a', ['h']],
    ])
  })

  test('are reserved for a nominated pod of higher priority', () => {
    const disk = { name: 'd', gcePersistentDisk: { pdName: 'd' } }
    const state = stored([labelled('a'), labelled('b')], exclusive)
    state.nominate(pod('n', {}, { priority: 5, volumes: [claimed('x')] }), 'a')
    const decision = decide(framework, state, withVolumes(claimed('x'), disk), input)
    expect(decision.feasible).toEqual(['b'])
    expect(decision.rejected.get('a')?.rejection.reasons).toEqual([inUse])
  })
})

function foreign(nodeName: string) {
  const made = holder('h', nodeName, claimed('x'))
  return { ...made, metadata: { ...made.metadata, namespace: 'other' } }
}
