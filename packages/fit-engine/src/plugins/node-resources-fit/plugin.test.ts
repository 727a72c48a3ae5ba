import { StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, input, node, pod } from '../../../test/builders.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { decide } from '../../decide/decide.ts'
import { createFramework, examineScore } from '../../index.ts'
import type { NodeResourcesFitArgs } from './args.ts'
import { nodeResourcesFit } from './plugin.ts'

const DONGLE = 'example.com/dongle'

function profile(args?: NodeResourcesFitArgs) {
  return createFramework({ plugins: [{ plugin: nodeResourcesFit(args), weight: 1 }] })
}

describe('NodeResourcesFit filter', () => {
  const { Unschedulable, UnschedulableAndUnresolvable } = StatusCode
  test.for<{
    it: string
    offers?: Record<string, string>
    held?: Record<string, string>
    asks: Record<string, string>
    code: StatusCode
    reasons: readonly string[]
  }>([
    {
      it: 'exactly what is left',
      offers: { [DONGLE]: '4' },
      held: { [DONGLE]: '3' },
      asks: { [DONGLE]: '1' },
      code: 0,
      reasons: [],
    },
    {
      it: 'no units of an overcommitted resource',
      offers: { [DONGLE]: '1' },
      held: { [DONGLE]: '3' },
      asks: { cpu: '1' },
      code: 0,
      reasons: [],
    },
    { it: 'zero units of an unknown resource', asks: { [DONGLE]: '0' }, code: 0, reasons: [] },
    {
      it: 'more than is left',
      offers: { [DONGLE]: '4' },
      held: { [DONGLE]: '3' },
      asks: { [DONGLE]: '2' },
      code: Unschedulable,
      reasons: [`Insufficient ${DONGLE}`],
    },
    {
      it: 'more than the capacity',
      offers: { [DONGLE]: '4' },
      asks: { [DONGLE]: '5' },
      code: UnschedulableAndUnresolvable,
      reasons: [`Insufficient ${DONGLE}`],
    },
    {
      it: 'an unknown resource',
      asks: { [DONGLE]: '1' },
      code: UnschedulableAndUnresolvable,
      reasons: [`Insufficient ${DONGLE}`],
    },
    {
      it: 'too much of everything',
      offers: { cpu: '1', memory: '1', 'ephemeral-storage': '1', pods: '0' },
      asks: { cpu: '2', memory: '2', 'ephemeral-storage': '2', 'b.org/x': '1', 'a.org/x': '1' },
      code: UnschedulableAndUnresolvable,
      reasons: [
        'Too many pods',
        'Insufficient cpu',
        'Insufficient memory',
        'Insufficient ephemeral-storage',
        'Insufficient a.org/x',
        'Insufficient b.org/x',
      ],
    },
    {
      it: 'a place on a full node',
      offers: { pods: '1' },
      held: {},
      asks: {},
      code: Unschedulable,
      reasons: ['Too many pods'],
    },
    {
      it: 'a place on a node without a number of pods',
      offers: { pods: '0' },
      asks: {},
      code: Unschedulable,
      reasons: ['Too many pods'],
    },
    {
      it: 'amounts beyond 2^53, one unit too many',
      offers: { [DONGLE]: '9007199254740993' },
      held: { [DONGLE]: '9007199254740992' },
      asks: { [DONGLE]: '2' },
      code: Unschedulable,
      reasons: [`Insufficient ${DONGLE}`],
    },
    {
      it: 'amounts beyond 2^53 that fit exactly',
      offers: { [DONGLE]: '9007199254740995' },
      held: { [DONGLE]: '9007199254740993' },
      asks: { [DONGLE]: '2' },
      code: 0,
      reasons: [],
    },
    {
      it: 'more than the capacity, beyond 2^53',
      offers: { [DONGLE]: '9007199254740993' },
      asks: { [DONGLE]: '9007199254740994' },
      code: UnschedulableAndUnresolvable,
      reasons: [`Insufficient ${DONGLE}`],
    },
    {
      it: 'a place on a node whose number of pods wraps',
      offers: { pods: '9223372036854775808' },
      held: {},
      asks: {},
      code: Unschedulable,
      reasons: ['Too many pods'],
    },
    {
      it: 'a place on a node with the largest number of pods',
      offers: { pods: '9223372036854775807' },
      held: {},
      asks: {},
      code: 0,
      reasons: [],
    },
  ])('judges a pod that requests $it', ({ offers = {}, held, asks, code, reasons }) => {
    const state = createClusterState()
    state.setNode(node('n', offers))
    if (held !== undefined) state.setPod(boundPod('holder', 'n', held))
    const decision = decide(profile(), state, pod('p', asks), input)
    expect(decision.feasible).toEqual(code === 0 ? ['n'] : [])
    const rejected = decision.rejected.get('n')
    expect([rejected?.code ?? 0, rejected?.rejection.reasons ?? []]).toEqual([code, reasons])
    expect(rejected?.rejection.insufficient?.map(({ reason }) => reason) ?? []).toEqual(reasons)
  })

  test.for([
    {
      it: 'a difference that a double rounds up',
      nodes: Array.from({ length: 6 }, () => ({ offers: '9007199254740991', held: '-4' })),
      asks: '9007199254740996',
      fits: 0,
    },
    {
      it: 'a negative allocatable amount that wraps to a large one',
      nodes: [{ offers: '9223372036854775808', held: '1' }, { offers: '5' }, ...Array.from({ length: 9 }, () => ({}))],
      asks: '2',
      fits: 2,
    },
    {
      it: 'a negative allocatable amount on many nodes',
      nodes: [
        ...Array.from({ length: 70 }, () => ({ offers: '9223372036854775808', held: '1' })),
        ...Array.from({ length: 300 }, () => ({})),
      ],
      asks: '2',
      fits: 70,
    },
  ])('finds the same nodes with and without reasons: $it', ({ nodes, asks, fits }) => {
    const state = createClusterState()
    nodes.forEach(({ offers, held }: { offers?: string; held?: string }, i) => {
      state.setNode(node(`n${i}`, offers === undefined ? {} : { [DONGLE]: offers }))
      if (held !== undefined) state.setPod(boundPod(`b${i}`, `n${i}`, { [DONGLE]: held }))
    })
    const asked = pod('p', { [DONGLE]: asks })
    const full = decide(profile(), state, asked, input)
    expect(full.feasible).toHaveLength(fits)
    expect(decide(profile(), state, asked, { ...input, rejections: 'when-none-fits' }).feasible).toEqual(full.feasible)
  })

  test.for([1, 70])('a negative number of pods has room for none, on %s nodes', (count) => {
    const state = createClusterState()
    for (let i = 0; i < count; i++) {
      state.setNode(node(`n${i}`, { pods: '9223372036854775808' }))
      state.setPod(boundPod(`holder${i}`, `n${i}`))
    }
    for (const rejections of ['always', 'when-none-fits'] as const) {
      expect(decide(profile(), state, pod('p'), { ...input, rejections }).feasible).toEqual([])
    }
    state.setNode(node('plenty', { pods: '9223372036854775807' }))
    for (const rejections of ['always', 'when-none-fits'] as const) {
      expect(decide(profile(), state, pod('p'), { ...input, rejections }).feasible).toEqual(['plenty'])
    }
  })

  test('compares every one of many resources', () => {
    const names = Array.from({ length: 70 }, (_, i) => `example.com/r${String(i).padStart(2, '0')}`)
    const state = createClusterState()
    state.setNode(node('rich', Object.fromEntries(names.map((name) => [name, '1']))))
    state.setNode(node('lacks-two', Object.fromEntries(names.map((name, i) => [name, i % 60 === 5 ? '0' : '1']))))
    const decision = decide(profile(), state, pod('p', Object.fromEntries(names.map((name) => [name, '1']))), input)
    expect(decision.feasible).toEqual(['rich'])
    expect(decision.rejected.get('lacks-two')?.rejection.reasons).toEqual([
      'Insufficient example.com/r05',
      'Insufficient example.com/r65',
    ])
  })

  test.for([
    { it: 'by name', args: { ignoredResources: [DONGLE] }, fits: true },
    { it: 'by group', args: { ignoredResourceGroups: ['example.com'] }, fits: true },
    { it: 'by another group', args: { ignoredResourceGroups: ['example.org'] }, fits: false },
  ])('ignores resources $it', ({ args, fits }) => {
    const state = createClusterState()
    state.setNode(node('n'))
    const decision = decide(profile(args), state, pod('p', { [DONGLE]: '1' }), {
      ...input,
      rejections: 'when-none-fits',
    })
    expect(decision.feasible.length > 0).toBe(fits)
  })

  test('cannot ignore hugepages', () => {
    const state = createClusterState()
    state.setNode(node('n'))
    const args = { ignoredResources: ['hugepages-2Mi'] }
    expect(decide(profile(args), state, pod('p', { 'hugepages-2Mi': '1' }), input).feasible).toEqual([])
  })
})

describe('NodeResourcesFit score', () => {
  const ratio = (...shape: readonly (readonly [number, number])[]): NodeResourcesFitArgs => ({
    scoringStrategy: {
      type: 'RequestedToCapacityRatio',
      requestedToCapacityRatio: { shape: shape.map(([utilization, score]) => ({ utilization, score })) },
    },
  })
  const only = (type: 'LeastAllocated' | 'MostAllocated', name: string): NodeResourcesFitArgs => ({
    scoringStrategy: { type, resources: [{ name, weight: 3 }] },
  })
  test.for<{
    it: string
    args?: NodeResourcesFitArgs
    offers: Record<string, string>
    asks: Record<string, string>
    score: number
  }>([
    {
      it: 'least allocated: the mean of cpu and memory',
      offers: { cpu: '4', memory: '4Gi' },
      asks: { cpu: '1', memory: '3Gi' },
      score: 50,
    },
    { it: 'least allocated: the default request', offers: { cpu: '1', memory: '400Mi' }, asks: {}, score: 70 },
    {
      it: 'least allocated: 0 for a request above the capacity',
      offers: { cpu: '1', memory: '1Gi' },
      asks: { cpu: '2', memory: '2Gi' },
      score: 0,
    },
    {
      it: 'an extended resource',
      args: only('LeastAllocated', DONGLE),
      offers: { [DONGLE]: '3' },
      asks: { [DONGLE]: '1' },
      score: 66,
    },
    {
      it: 'no resource that the pod does not request',
      args: only('LeastAllocated', DONGLE),
      offers: { [DONGLE]: '3' },
      asks: {},
      score: 0,
    },
    { it: 'no number of pods', args: only('MostAllocated', 'pods'), offers: {}, asks: {}, score: 0 },
    {
      it: 'most allocated: the used share',
      args: only('MostAllocated', 'cpu'),
      offers: { cpu: '3' },
      asks: { cpu: '2' },
      score: 66,
    },
    {
      it: 'most allocated: 100 for a request above the capacity',
      args: only('MostAllocated', 'cpu'),
      offers: { cpu: '1' },
      asks: { cpu: '2' },
      score: 100,
    },
    {
      it: 'a shape that rises',
      args: ratio([0, 0], [100, 10]),
      offers: { cpu: '4', memory: '4Gi' },
      asks: { cpu: '1', memory: '3Gi' },
      score: 50,
    },
    {
      it: 'a shape that falls, truncated',
      args: ratio([0, 10], [70, 0]),
      offers: { cpu: '4', memory: '4Gi' },
      asks: { cpu: '1', memory: '1Gi' },
      score: 65,
    },
    {
      it: 'a shape before its first point',
      args: ratio([50, 7], [100, 10]),
      offers: { cpu: '4', memory: '4Gi' },
      asks: { cpu: '1', memory: '1Gi' },
      score: 70,
    },
    {
      it: 'a shape after its last point',
      args: ratio([10, 1], [20, 6]),
      offers: { cpu: '4', memory: '4Gi' },
      asks: { cpu: '9', memory: '9Gi' },
      score: 60,
    },
    {
      it: 'least allocated: amounts beyond 90 TB',
      args: only('LeastAllocated', 'memory'),
      offers: { memory: '80Pi' },
      asks: { memory: '20Pi' },
      score: 75,
    },
    {
      it: 'most allocated: amounts beyond 90 TB',
      args: only('MostAllocated', 'memory'),
      offers: { memory: '80Pi' },
      asks: { memory: '20Pi' },
      score: 25,
    },
    {
      it: 'a ratio beyond 90 TB',
      args: { scoringStrategy: { ...ratio([0, 0], [100, 10]).scoringStrategy, resources: [{ name: 'memory' }] } },
      offers: { memory: '80Pi' },
      asks: { memory: '20Pi' },
      score: 25,
    },
  ])('is $score for $it', ({ args, offers, asks, score }) => {
    const state = createClusterState()
    state.setNode(node('n', offers))
    const { raw } = examineScore(nodeResourcesFit(args), state, pod('p', asks), { ...input, feasible: [] })
    expect(raw.get('n')).toBe(score)
  })
})

describe('arguments of NodeResourcesFit', () => {
  const shape = (...points: readonly unknown[]) => ({
    scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape: points } },
  })
  test.for<{ args: unknown; says: string }>([
    { args: { ignoredResource: [] }, says: 'NodeResourcesFit: there is no field "ignoredResource"' },
    { args: { ignoredResources: ['a/b/c'] }, says: 'ignoredResources[0]' },
    { args: { ignoredResourceGroups: ['a.org/b'] }, says: 'ignoredResourceGroups[0]: a resource group has no slash' },
    { args: { ignoredResourceGroups: ['-'] }, says: 'ignoredResourceGroups[0]' },
    { args: { scoringStrategy: { type: 'Best' } }, says: 'scoringStrategy.type: "Best" is none of' },
    {
      args: { scoringStrategy: { resources: [{ name: 'cpu' }] } },
      says: 'scoringStrategy.type: "undefined" is none of',
    },
    {
      args: { scoringStrategy: { type: 'LeastAllocated', resources: [{ name: 'cpu', weight: 101 }] } },
      says: '101 is not in 1..100',
    },
    {
      args: { scoringStrategy: { type: 'LeastAllocated', resources: [{ name: 'cpu', share: 1 }] } },
      says: 'resources[0]: there is no field "share"',
    },
    { args: { scoringStrategy: { type: 'RequestedToCapacityRatio' } }, says: 'requestedToCapacityRatio: it is needed' },
    { args: shape(), says: 'shape: at least one point is needed' },
    { args: shape({ utilization: 101, score: 1 }), says: 'shape[0].utilization: 101 is not in 0..100' },
    { args: shape({ utilization: 1, score: 11 }), says: 'shape[0].score: 11 is not in 0..10' },
    {
      args: shape({ utilization: 1, score: 1 }, { utilization: 1, score: 2 }),
      says: 'shape[1].utilization: 1 is not above',
    },
    {
      args: { scoringStrategy: { type: 'MostAllocated', requestedToCapacityRatio: { shape: [] } } },
      says: 'it has no meaning unless type is RequestedToCapacityRatio',
    },
  ])('are refused: $says', ({ args, says }) => {
    expect(() => nodeResourcesFit(args as NodeResourcesFitArgs)).toThrow(
      expect.objectContaining({ code: 'BERTH_FIT_ARGS', message: expect.stringContaining(says) }),
    )
  })

  test('may have apiVersion and kind', () => {
    const args = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'NodeResourcesFitArgs' } as NodeResourcesFitArgs
    expect(nodeResourcesFit(args).name).toBe('NodeResourcesFit')
  })
})
