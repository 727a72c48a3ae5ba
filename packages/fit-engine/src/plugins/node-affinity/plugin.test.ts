import { type Node, type NodeAffinity, type NodeSelectorTerm, type Pod, type PodSpec, StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { decide } from '../../decide/decide.ts'
import { ProfileError } from '../../errors.ts'
import { examineFilter, examineScore } from '../../framework/examine.ts'
import { createFramework } from '../../framework/framework.ts'
import type { NodeAffinityArgs } from './args.ts'
import { nodeAffinity } from './plugin.ts'

const input = { nowMs: 0, random: () => 0 }
const LABELS: Readonly<Record<string, Record<string, string>>> = {
  a: { disk: 'ssd', cores: '8' },
  b: { disk: 'hdd', cores: '+16', gpu: '' },
  c: {},
}
const nodes: readonly Node[] = Object.entries(LABELS).map(([name, labels]) => ({ metadata: { name, labels } }))
const state = createClusterState()
for (const node of nodes) state.setNode(node)

const podWith = (spec: Partial<PodSpec>): Pod => ({ metadata: { uid: 'p' }, spec: { containers: [], ...spec } })
const pod = (affinity: NodeAffinity): Pod => podWith({ affinity: { nodeAffinity: affinity } })
const required = (...terms: readonly NodeSelectorTerm[]): NodeAffinity => ({
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
})
const expr = (key: string, operator: string, ...values: readonly string[]): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
})
const field = (operator: string, ...values: readonly string[]): NodeSelectorTerm => ({
  matchFields: [{ key: 'metadata.name', operator, values }],
})
const fitting = (asked: Pod, args?: NodeAffinityArgs): string => {
  const decision = decide(createFramework({ plugins: [{ plugin: nodeAffinity(args), weight: 1 }] }), state, asked, {
    ...input,
    score: false,
  })
  return decision.feasible.toSorted().join('')
}

describe('NodeAffinity', () => {
  test.for([
    { it: 'no nodeSelector', selector: '{}', fits: 'abc' },
    { it: 'one label', selector: '{"disk": "ssd"}', fits: 'a' },
    { it: 'all labels must match', selector: '{"disk": "hdd", "gpu": ""}', fits: 'b' },
    { it: 'an absent label is not an empty one', selector: '{"gpu": ""}', fits: 'b' },
    { it: 'a name that every object inherits', selector: '{"constructor": "x"}', fits: '' },
    { it: 'a name that is not a label', selector: '{"__proto__": "x"}', fits: '' },
  ])('nodeSelector, $it', ({ selector, fits }) => {
    expect(fitting(podWith({ nodeSelector: JSON.parse(selector) as Record<string, string> }))).toBe(fits)
  })

  test.for([
    { it: 'In', terms: [expr('disk', 'In', 'ssd', 'nvme')], fits: 'a' },
    { it: 'NotIn holds without the label', terms: [expr('disk', 'NotIn', 'ssd')], fits: 'bc' },
    { it: 'Exists', terms: [expr('gpu', 'Exists')], fits: 'b' },
    { it: 'Exists of a name that every object inherits', terms: [expr('constructor', 'Exists')], fits: '' },
    { it: 'DoesNotExist', terms: [expr('gpu', 'DoesNotExist')], fits: 'ac' },
    { it: 'Gt reads a sign on the label', terms: [expr('cores', 'Gt', '8')], fits: 'b' },
    { it: 'Lt', terms: [expr('cores', 'Lt', '9')], fits: 'a' },
    { it: 'Gt of a label that is not a number', terms: [expr('disk', 'Gt', '1')], fits: '' },
    { it: 'a bound that no label can have', terms: [expr('cores', 'Gt', '-1')], fits: '' },
    { it: 'a bound beyond int64', terms: [expr('cores', 'Lt', '9223372036854775808')], fits: '' },
    { it: 'terms are alternatives', terms: [expr('gpu', 'Exists'), expr('disk', 'In', 'ssd')], fits: 'ab' },
    {
      it: 'an invalid term does not affect other terms',
      terms: [expr('disk', 'Like', 'x'), expr('disk', 'In', 'ssd')],
      fits: 'a',
    },
    {
      it: 'an invalid requirement makes its term invalid',
      terms: [
        {
          matchExpressions: [
            { key: 'disk', operator: 'In', values: ['ssd'] },
            { key: 'disk', operator: 'In' },
          ],
        },
      ],
      fits: '',
    },
    { it: 'no label key', terms: [expr('not a key', 'DoesNotExist')], fits: '' },
    { it: 'Exists with values', terms: [expr('disk', 'Exists', 'ssd')], fits: '' },
    { it: 'no term', terms: [], fits: '' },
    { it: 'an empty term', terms: [{}], fits: '' },
    { it: 'an empty term and another', terms: [{}, expr('disk', 'In', 'ssd')], fits: 'a' },
    { it: 'a field and a label', terms: [{ ...field('In', 'a'), ...expr('disk', 'In', 'hdd') }], fits: '' },
    { it: 'name In', terms: [field('In', 'b')], fits: 'b' },
    { it: 'name NotIn', terms: [field('NotIn', 'b')], fits: 'ac' },
    { it: 'name In two terms', terms: [field('In', 'b'), field('In', 'c')], fits: 'bc' },
    { it: 'two names in one requirement', terms: [field('In', 'a', 'b')], fits: '' },
    { it: 'an operator that fields do not have', terms: [field('Exists')], fits: '' },
    {
      it: 'a field that nodes do not have is empty',
      terms: [{ matchFields: [{ key: 'metadata.namespace', operator: 'NotIn', values: ['x'] }] }],
      fits: 'abc',
    },
  ])('required terms, $it', ({ terms, fits }) => {
    expect(fitting(pod(required(...terms)))).toBe(fits)
  })

  test('rejects with a reason as unresolvable', () => {
    expect(examineFilter(nodeAffinity(), state, pod(required(expr('gpu', 'Exists'))), input).nodes.get('a')).toEqual({
      code: StatusCode.UnschedulableAndUnresolvable,
      reasons: ["node(s) didn't match Pod's node affinity/selector"],
    })
  })

  test.for([
    { it: 'skips a pod without node affinity', asked: podWith({}), result: { kind: 'skip' } },
    { it: 'does not skip an empty nodeSelector', asked: podWith({ nodeSelector: {} }), result: undefined },
    {
      it: 'limits nodes to the names of all terms',
      asked: pod(required(field('In', 'a'), field('In', 'b'))),
      result: { kind: 'narrow', nodeNames: new Set(['a', 'b']) },
    },
    {
      it: 'does not limit nodes when a term names no node',
      asked: pod(required(field('In', 'a'), expr('gpu', 'Exists'))),
      result: undefined,
    },
    {
      it: 'rejects names that contradict each other',
      asked: pod(
        required({ matchFields: [...(field('In', 'a').matchFields ?? []), ...(field('In', 'b').matchFields ?? [])] }),
      ),
      result: {
        kind: 'reject',
        code: StatusCode.UnschedulableAndUnresolvable,
        reasons: ['pod affinity terms conflict'],
      },
    },
  ])('preFilter $it', ({ asked, result }) => {
    expect(examineFilter(nodeAffinity(), state, asked, input).preFilter).toEqual(result)
  })
})

describe('NodeAffinity score', () => {
  const preferring = (...preferences: readonly (readonly [number, NodeSelectorTerm])[]): NodeAffinity => ({
    preferredDuringSchedulingIgnoredDuringExecution: preferences.map(([weight, preference]) => ({
      weight,
      preference,
    })),
  })
  const scored = (asked: Pod, args?: NodeAffinityArgs): ReturnType<typeof examineScore> =>
    examineScore(nodeAffinity(args), state, asked, { ...input, feasible: ['a', 'b', 'c'] })

  test('adds the weights of matching terms and scales them to 100', () => {
    const result = scored(
      pod(preferring([10, expr('disk', 'Exists')], [30, expr('gpu', 'Exists')], [0, expr('x y', 'Odd')], [5, {}])),
    )
    expect(Object.fromEntries(result.raw)).toEqual({ a: 10, b: 40, c: 0 })
    expect(Object.fromEntries(result.normalized)).toEqual({ a: 25, b: 100, c: 0 })
  })

  test.for([
    { it: 'a pod without preferences', asked: podWith({}), skipped: true },
    { it: 'not one with an empty list of them', asked: pod(preferring()), skipped: false },
  ])('skips $it', ({ asked, skipped }) => {
    expect(scored(asked).isSkipped).toBe(skipped)
  })

  test('an invalid preference fails the attempt and names the term', () => {
    const framework = createFramework({ plugins: [{ plugin: nodeAffinity(), weight: 1 }] })
    const asked = pod(preferring([1, expr('disk', 'Exists')], [1, expr('cores', 'Gt', 'many')]))
    const { error } = decide(framework, state, asked, input)
    expect(error?.plugin).toBe('NodeAffinity')
    expect(error?.message).toContain('[1]: operator Gt needs exactly one whole number as value')
  })
})

describe('NodeAffinityArgs', () => {
  test('reject nodes that they do not select for every pod', () => {
    const args = { addedAffinity: required(expr('disk', 'Exists')) }
    expect(fitting(podWith({}), args)).toBe('ab')
    expect(examineFilter(nodeAffinity(args), state, podWith({}), input).nodes.get('c')?.reasons).toEqual([
      "node(s) didn't match scheduler-enforced node affinity",
    ])
  })

  test('prefer nodes for every pod', () => {
    const preferences = [{ weight: 7, preference: expr('gpu', 'Exists') }]
    const args = { addedAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferences } }
    const { raw, isSkipped } = examineScore(nodeAffinity(args), state, podWith({}), {
      ...input,
      feasible: ['a', 'b', 'c'],
    })
    expect([isSkipped, Object.fromEntries(raw)]).toEqual([false, { a: 0, b: 7, c: 0 }])
  })

  test.for([
    {
      it: 'an invalid required term',
      args: { addedAffinity: required(expr('disk', 'Like', 'x')) },
      says: 'requiredDuringSchedulingIgnoredDuringExecution',
    },
    {
      it: 'an invalid preferred term',
      args: {
        addedAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: expr('x y', 'Exists') }],
        },
      },
      says: 'preferredDuringSchedulingIgnoredDuringExecution',
    },
    { it: 'a misspelled field', args: { addedAfinity: {} }, says: 'addedAfinity' },
    { it: 'a misspelled nested field', args: { addedAffinity: { required: {} } }, says: '"required"' },
  ])('with $it are refused', ({ args, says }) => {
    expect(() => nodeAffinity(args as NodeAffinityArgs)).toThrow(ProfileError)
    expect(() => nodeAffinity(args as NodeAffinityArgs)).toThrow(says)
  })
})
