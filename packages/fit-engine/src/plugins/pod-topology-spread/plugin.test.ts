import {
  type Node,
  type ObjectMeta,
  type Pod,
  type PodSpec,
  StatusCode,
  type TopologySpreadConstraint,
} from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, pod } from '../../../test/builders.ts'
import type { ClusterState } from '../../state/cluster-state.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { decide } from '../../decide/decide.ts'
import { ProfileError } from '../../errors.ts'
import { examineFilter, examineScore } from '../../framework/examine.ts'
import { createFramework } from '../../framework/framework.ts'
import type { PodTopologySpreadArgs } from './args.ts'
import { podTopologySpread } from './plugin.ts'

const input = { nowMs: 0, random: () => 0 }
const ZONE = 'topology.kubernetes.io/zone'
const HOST = 'kubernetes.io/hostname'
const web = { app: 'web' }
const SKEWED = "node(s) didn't match pod topology spread constraints"
const NO_KEY = `${SKEWED} (missing required label)`

const nodes: readonly Node[] = [
  { metadata: { name: 'a1', labels: { [ZONE]: 'a', [HOST]: 'a1' } } },
  { metadata: { name: 'a2', labels: { [ZONE]: 'a', [HOST]: 'a2' } } },
  { metadata: { name: 'b1', labels: { [ZONE]: 'b', [HOST]: 'b1', disk: 'ssd' } } },
  {
    metadata: { name: 'c1', labels: { [ZONE]: 'c', [HOST]: 'c1' } },
    spec: { taints: [{ key: 'gone', effect: 'NoExecute' }] },
  },
  { metadata: { name: 'bare', labels: { [HOST]: 'bare' } } },
]

function existing(name: string, node: string, metadata: ObjectMeta = {}): Pod {
  const made = boundPod(name, node)
  return { ...made, metadata: { ...made.metadata, labels: web, ...metadata } }
}

/** Zone a holds three web pods, b one, c none. */
function cluster(...more: readonly Pod[]): ClusterState {
  const state = createClusterState()
  for (const node of nodes) state.setNode(node)
  const pods = [existing('1', 'a1'), existing('2', 'a1'), existing('3', 'a2'), existing('4', 'b1'), ...more]
  for (const each of pods) state.setPod(each)
  return state
}

function constraint(more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: ZONE,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: web },
    ...more,
  }
}

function candidate(constraints: readonly TopologySpreadConstraint[], spec: Partial<PodSpec> = {}): Pod {
  return pod('p', {}, { topologySpreadConstraints: constraints, ...spec }, { labels: web })
}

function fitting(asked: Pod, state = cluster(), args?: PodTopologySpreadArgs): readonly string[] {
  const framework = createFramework({ plugins: [{ plugin: podTopologySpread(args), weight: 1 }] })
  return decide(framework, state, asked, { ...input, score: false }).feasible
}

function scores(asked: Pod, args?: PodTopologySpreadArgs, feasible = ['a1', 'a2', 'b1', 'c1'], state = cluster()) {
  const { isSkipped, normalized } = examineScore(podTopologySpread(args), state, asked, { ...input, feasible })
  return isSkipped ? 'skipped' : Object.fromEntries(normalized)
}

describe('PodTopologySpread as a filter', () => {
  test.for<{ it: string; asked: Pod; fits: readonly string[] }>([
    { it: 'only the emptiest zone is within skew 1', asked: candidate([constraint()]), fits: ['c1'] },
    { it: 'skew 2', asked: candidate([constraint({ maxSkew: 2 })]), fits: ['b1', 'c1'] },
    {
      it: 'a pod that is not counted itself',
      asked: candidate([constraint({ labelSelector: { matchLabels: { app: 'db' } } })]),
      fits: ['a1', 'a2', 'b1', 'c1'],
    },
    {
      it: 'an empty selector counts only the pod itself',
      asked: candidate([constraint({ labelSelector: {} })]),
      fits: ['a1', 'a2', 'b1', 'c1'],
    },
    {
      it: 'too few domains make the minimum 0',
      asked: candidate([constraint({ minDomains: 4, maxSkew: 2 })]),
      fits: ['b1', 'c1'],
    },
    {
      it: 'zones without eligible nodes do not count and contain no pods',
      asked: candidate([constraint({ maxSkew: 1 })], { nodeSelector: { disk: 'ssd' } }),
      fits: ['a1', 'a2', 'b1', 'c1'],
    },
    {
      it: 'unless node affinity is ignored',
      asked: candidate([constraint({ nodeAffinityPolicy: 'Ignore' })], { nodeSelector: { disk: 'ssd' } }),
      fits: ['c1'],
    },
    {
      it: 'tainted nodes do not count when taints are honored',
      asked: candidate([constraint({ nodeTaintsPolicy: 'Honor' })]),
      fits: ['b1', 'c1'],
    },
    {
      it: 'unless the pod tolerates the taint',
      asked: candidate([constraint({ nodeTaintsPolicy: 'Honor' })], { tolerations: [{ operator: 'Exists' }] }),
      fits: ['c1'],
    },
    {
      it: 'matchLabelKeys narrow the selector',
      asked: candidate([constraint({ labelSelector: {}, matchLabelKeys: ['app', 'absent'] })]),
      fits: ['c1'],
    },
    {
      it: 'all constraints must hold',
      asked: candidate([constraint({ maxSkew: 2 }), constraint({ topologyKey: HOST, maxSkew: 1 })]),
      fits: ['c1'],
    },
  ])('$it', ({ asked, fits }) => {
    expect(fitting(asked)).toEqual(fits)
  })

  test('returns the reason of each node', () => {
    const { nodes: statuses } = examineFilter(podTopologySpread(), cluster(), candidate([constraint()]), input)
    expect(statuses.get('a1')).toEqual({ code: StatusCode.Unschedulable, reasons: [SKEWED] })
    expect(statuses.get('bare')).toEqual({ code: StatusCode.UnschedulableAndUnresolvable, reasons: [NO_KEY] })
    expect(statuses.get('c1')?.code).toBe(StatusCode.Success)
  })

  test('terminating pods and pods of other namespaces do not count', () => {
    const state = cluster(
      existing('5', 'c1', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      existing('6', 'c1', { namespace: 'other' }),
    )
    expect(fitting(candidate([constraint()]), state)).toEqual(['c1'])
  })

  test('nominated pods count on their node', () => {
    const state = cluster()
    for (const uid of ['w1', 'w2']) state.nominate(pod('waiting', {}, { priority: 9 }, { labels: web, uid }), 'c1')
    expect(fitting(candidate([constraint()]), state)).toEqual([])
    expect(fitting(candidate([constraint({ maxSkew: 2 })]), state)).toEqual(['b1', 'c1'])
  })

  test('follows added and removed pods and nodes', () => {
    const state = cluster()
    const asked = candidate([constraint()])
    expect(fitting(asked, state)).toEqual(['c1'])
    state.deleteNode('c1')
    expect(fitting(asked, state)).toEqual(['b1'])
    for (const name of ['1', '2', '3']) state.deletePod(pod(name))
    expect(fitting(asked, state)).toEqual(['a1', 'a2'])
    state.setNode({ metadata: { name: 'bare', labels: { [ZONE]: 'd' } } })
    expect(fitting(asked, state)).toEqual(['a1', 'a2', 'bare'])
  })

  test('skips a pod without hard constraints', () => {
    const soft = candidate([constraint({ whenUnsatisfiable: 'ScheduleAnyway' })])
    expect(examineFilter(podTopologySpread(), cluster(), soft, input).preFilter).toEqual({ kind: 'skip' })
  })

  test('an invalid selector fails the attempt', () => {
    const asked = candidate([constraint({ labelSelector: { matchLabels: { app: 'no value' } } })])
    const framework = createFramework({ plugins: [{ plugin: podTopologySpread(), weight: 1 }] })
    const { error } = decide(framework, cluster(), asked, input)
    expect(error?.plugin).toBe('PodTopologySpread')
    expect(error?.message).toContain('running PreFilter plugin')
  })
})

describe('PodTopologySpread as a scorer', () => {
  const soft = (more: Partial<TopologySpreadConstraint> = {}) =>
    constraint({ whenUnsatisfiable: 'ScheduleAnyway', ...more })

  test.for<{ it: string; asked: Pod; result: unknown }>([
    { it: 'fewer is better', asked: candidate([soft()]), result: { a1: 0, a2: 0, b1: 60, c1: 100 } },
    {
      it: 'hosts are counted one by one',
      asked: candidate([soft({ topologyKey: HOST })]),
      result: { a1: 0, a2: 50, b1: 50, c1: 100 },
    },
    {
      it: 'no pod matches',
      asked: candidate([soft({ labelSelector: {} })]),
      result: { a1: 100, a2: 100, b1: 100, c1: 100 },
    },
    {
      it: 'no pod matches and maxSkew is 0: the sum equals the mark of a node that is not scored',
      asked: candidate([soft({ labelSelector: {}, maxSkew: 0 })]),
      result: { a1: 0, a2: 0, b1: 0, c1: 0 },
    },
    { it: 'no soft constraint', asked: candidate([constraint()]), result: 'skipped' },
    { it: 'no service and no controller', asked: pod('p', {}, {}, { labels: web }), result: 'skipped' },
  ])('$it', ({ asked, result }) => {
    expect(scores(asked)).toEqual(result)
  })

  test('a node without the key scores 0', () => {
    expect(scores(candidate([soft()]), undefined, ['a1', 'bare'])).toEqual({ a1: 100, bare: 0 })
  })

  test.for([
    { it: 'a service', kind: 'services', owner: undefined, selector: web },
    { it: 'a ReplicationController', kind: 'replicationControllers', owner: 'v1 ReplicationController', selector: web },
    { it: 'a ReplicaSet', kind: 'replicaSets', owner: 'apps/v1 ReplicaSet', selector: { matchLabels: web } },
    { it: 'a StatefulSet', kind: 'statefulSets', owner: 'apps/v1 StatefulSet', selector: { matchLabels: web } },
  ] as const)('by default, spreads the pods of $it over hosts and zones', ({ kind, owner, selector }) => {
    const state = cluster()
    state.objects.set(kind, { metadata: { name: 'web', namespace: 'default' }, spec: { selector } })
    const [apiVersion = '', ownerKind = ''] = owner?.split(' ') ?? []
    const ownerReferences =
      owner === undefined ? [] : [{ apiVersion, kind: ownerKind, name: 'web', uid: 'u', controller: true }]
    const asked = pod('p', {}, {}, { labels: web, ownerReferences })
    const result = scores(asked, undefined, ['a1', 'a2', 'b1', 'c1', 'bare'], state) as Record<string, number>
    const order = Object.entries(result).toSorted(([, a], [, b]) => b - a)
    expect(order.map(([name]) => name)).toEqual(['bare', 'c1', 'b1', 'a2', 'a1'])
    expect(new Set(Object.values(result)).size).toBe(5)
  })

  test.for([
    { it: 'a Job', apiVersion: 'batch/v1', kind: 'Job', name: 'web', controller: true },
    { it: 'a deleted owner', apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', controller: true },
    {
      it: 'an owner that does not control it',
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      controller: false,
    },
    {
      it: 'a ReplicaSet with an invalid selector',
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'broken',
      controller: true,
    },
  ])('by default, skips a pod of $it', (owner) => {
    const state = cluster()
    const add = (name: string, app: string) =>
      state.objects.set('replicaSets', {
        metadata: { name, namespace: 'default' },
        spec: { selector: { matchLabels: { app } } },
      })
    add('web', 'web')
    add('broken', 'no value')
    state.objects.set('services', { metadata: { name: 's', namespace: 'other' }, spec: { selector: web } })
    state.objects.set('services', { metadata: { name: 's', namespace: 'default' } })
    const asked = pod('p', {}, {}, { labels: web, ownerReferences: [{ ...owner, uid: 'u' }] })
    expect(scores(asked, undefined, ['a1', 'c1'], state)).toBe('skipped')
  })

  test('listed defaults replace the system defaults', () => {
    const state = cluster()
    state.objects.set('services', { metadata: { name: 'web', namespace: 'default' }, spec: { selector: web } })
    const { labelSelector: _none, ...hard } = constraint()
    const args: PodTopologySpreadArgs = { defaultingType: 'List', defaultConstraints: [hard] }
    expect(fitting(pod('p', {}, {}, { labels: web }), state, args)).toEqual(['c1'])
    expect(scores(pod('p', {}, {}, { labels: web }), args, ['a1'], state)).toBe('skipped')
  })
})

test.for<{ it: string; args: unknown; field: string }>([
  { it: 'an unknown type', args: { defaultingType: 'Lisp' }, field: 'defaultingType' },
  { it: 'constraints together with System', args: { defaultConstraints: [constraint()] }, field: 'defaultConstraints' },
  { it: 'an unknown field', args: { defaults: [] }, field: 'defaults' },
  {
    it: 'a skew of 0',
    args: { defaultingType: 'List', defaultConstraints: [constraint({ maxSkew: 0 })] },
    field: '[0].maxSkew',
  },
  {
    it: 'no key',
    args: { defaultingType: 'List', defaultConstraints: [constraint({ topologyKey: '' })] },
    field: '[0].topologyKey',
  },
  {
    it: 'an invalid key',
    args: { defaultingType: 'List', defaultConstraints: [constraint({ topologyKey: 'a b' })] },
    field: '[0].topologyKey',
  },
  {
    it: 'an unknown action',
    args: { defaultingType: 'List', defaultConstraints: [constraint({ whenUnsatisfiable: 'Hope' })] },
    field: '[0].whenUnsatisfiable',
  },
  {
    it: 'a selector',
    args: { defaultingType: 'List', defaultConstraints: [constraint()] },
    field: '[0].labelSelector',
  },
  {
    it: 'a repeated constraint',
    args: {
      defaultingType: 'List',
      defaultConstraints: [1, 2].map((maxSkew) => ({ maxSkew, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule' })),
    },
    field: '[1]',
  },
])('PodTopologySpreadArgs with $it are refused at $field', ({ args, field }) => {
  const build = () => podTopologySpread(args as PodTopologySpreadArgs)
  expect(build).toThrow(ProfileError)
  expect(build).toThrow(field)
})
