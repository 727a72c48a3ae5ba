import type { Node, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../../../test/builders.ts'
import { explain, type Fix } from '../../index.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'

/** Returns the fixes for a pod on these nodes, beside these placed pods. */
function fixesFor(asker: Pod, nodes: readonly Node[], placed: readonly Pod[] = []): readonly Fix[] {
  const state = createClusterState()
  for (const one of nodes) state.setNode(one)
  for (const one of placed) state.setPod(one)
  return explain(framework, state, asker, input).fixes
}

const tainted = (name: string, ...taints: readonly { key: string; value?: string; effect: string }[]): Node =>
  node(name, {}, { spec: { taints } })
const labelled = (name: string, labels: Record<string, string>): Node => {
  const plain = node(name, {})
  return { ...plain, metadata: { ...plain.metadata, labels } }
}
const dedicated = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }
const withSpec = (more: Partial<Pod['spec']>): Pod => {
  const plain = pod('p', {})
  return { ...plain, metadata: { ...plain.metadata, labels: { app: 'web' } }, spec: { ...plain.spec, ...more } }
}

describe('taints', () => {
  test('are tolerated, or removed, which costs more', () => {
    const fixes = fixesFor(pod('p', {}), [
      tainted('a', dedicated, { key: 'other', effect: 'NoExecute' }),
      tainted('b', dedicated),
    ])
    expect(fixes).toMatchObject([
      {
        kind: 'tolerate',
        node: 'b',
        tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' }],
        sentence: 'Tolerate dedicated=gpu:NoSchedule, with which node b is tainted.',
      },
      { kind: 'remove-taint', node: 'b', taints: [dedicated] },
    ])
  })

  test('that stand for a condition are neither tolerated nor removed', () => {
    expect(
      fixesFor(pod('p', {}), [tainted('a', { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' })]),
    ).toEqual([])
  })

  test('are not offered as a fix where the pod also lacks a label', () => {
    const [first] = fixesFor(withSpec({ nodeSelector: { disk: 'ssd' } }), [tainted('a', dedicated)])
    expect(first).toBeUndefined()
  })

  test('of a cordoned node go with the cordon', () => {
    const cordoned = node(
      'a',
      {},
      {
        spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
      },
    )
    expect(fixesFor(pod('p', {}), [cordoned])).toMatchObject([{ kind: 'uncordon', node: 'a' }])
  })
})

describe('labels', () => {
  test('that a nodeSelector requires are added, or the selector goes', () => {
    const fixes = fixesFor(withSpec({ nodeSelector: { disk: 'ssd' } }), [labelled('a', { disk: 'hdd' })])
    expect(fixes).toMatchObject([
      { kind: 'relax-rule', field: 'spec.nodeSelector["disk"]', value: undefined, node: 'a' },
      { kind: 'add-label', node: 'a', labels: { disk: 'ssd' }, sentence: 'Label node a with disk=ssd.' },
    ])
  })

  test('of the affinity term that needs the fewest are added', () => {
    const required = {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: 'x', operator: 'Exists' },
            { key: 'y', operator: 'In', values: ['1', '2'] },
          ],
        },
        { matchExpressions: [{ key: 'z', operator: 'In', values: ['3'] }] },
      ],
    }
    const asker = withSpec({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } })
    const fix = fixesFor(asker, [labelled('a', {})]).find(({ kind }) => kind === 'add-label')
    expect(fix).toMatchObject({ labels: { z: '3' } })
  })

  test.for(['topology.kubernetes.io/zone', 'kubernetes.io/arch'])('%s states a fact and is not made up', (key) => {
    const fixes = fixesFor(withSpec({ nodeSelector: { [key]: 'x' } }), [labelled('a', {})])
    expect(fixes.map(({ kind }) => kind)).toEqual(['relax-rule'])
  })
})

describe('rules about other pods', () => {
  const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' }
  const web = {
    ...boundPod('other', 'a', {}),
    metadata: { name: 'other', namespace: 'default', uid: 'other', labels: { app: 'web' } },
  }

  test('an anti-affinity term is dropped, and no other', () => {
    const harmless = { ...term, labelSelector: { matchLabels: { app: 'db' } } }
    const asker = withSpec({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [harmless, term] } },
    })
    const relaxed = fixesFor(asker, [labelled('a', { zone: 'x' })], [web]).find(({ kind }) => kind === 'relax-rule')
    expect(relaxed).toMatchObject({
      field: 'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1]',
      sentence: 'Do not require to stay away from certain pods within zone: node a then fits.',
    })
  })

  test('a spread constraint becomes a preference', () => {
    const constraint = { ...term, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }
    const asker = withSpec({ topologySpreadConstraints: [constraint], nodeSelector: { use: 'yes' } })
    const nodes = [labelled('a', { zone: 'x', use: 'yes' }), labelled('b', { zone: 'y', use: 'yes' })].map(
      (one, index) => (index === 0 ? one : { ...one, spec: { unschedulable: true } }),
    )
    const relaxed = fixesFor(asker, nodes, [web]).find(({ kind }) => kind === 'relax-rule')
    expect(relaxed).toMatchObject({
      field: 'spec.topologySpreadConstraints[0].whenUnsatisfiable',
      value: 'ScheduleAnyway',
    })
  })
})
