import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { daemonStep, type DaemonNodeState, type DaemonPodState } from './daemon-rollout.ts'

const old = (name: string, isAvailable = true): DaemonPodState => ({ name, isUpdated: false, isAvailable })
const updated = (name: string, isAvailable = true): DaemonPodState => ({ name, isUpdated: true, isAvailable })
const on = (node: string, ...pods: DaemonPodState[]): DaemonNodeState => ({ node, shouldRun: true, pods })
const off = (node: string, ...pods: DaemonPodState[]): DaemonNodeState => ({ node, shouldRun: false, pods })

describe('without surge', () => {
  test.for([
    { it: 'deletes one old pod at a time', nodes: [on('a', old('1')), on('b', old('2'))], remove: ['1'] },
    {
      it: 'waits while a new pod is not available',
      nodes: [on('a', updated('1', false)), on('b', old('2'))],
      remove: [],
    },
    { it: 'waits while a node has no pod', nodes: [on('a'), on('b', old('2'))], remove: [] },
    {
      it: 'deletes unavailable old pods regardless of the bound',
      nodes: [on('a', old('1', false)), on('b', old('2', false)), on('c', old('3'))],
      remove: ['1', '2'],
    },
    {
      it: 'ignores a node with two pods',
      nodes: [on('a', old('1'), updated('2')), on('b', old('3'))],
      remove: [],
    },
    { it: 'has nothing to do at the end', nodes: [on('a', updated('1')), on('b', updated('2'))], remove: [] },
  ])('$it', ({ nodes, remove }) => {
    expect(daemonStep(nodes, { maxSurge: 0, maxUnavailable: 1 })).toEqual({ remove, surge: [] })
  })
})

describe('with surge', () => {
  test.for([
    { it: 'starts one new pod', nodes: [on('a', old('1')), on('b', old('2'))], step: { remove: [], surge: ['a'] } },
    {
      it: 'waits for the new pod',
      nodes: [on('a', old('1'), updated('3', false)), on('b', old('2'))],
      step: { remove: [], surge: [] },
    },
    {
      it: 'deletes the old pod when the new one is available, and continues',
      nodes: [on('a', old('1'), updated('3')), on('b', old('2'))],
      step: { remove: ['1'], surge: ['b'] },
    },
    {
      it: 'starts a pod next to every unavailable old pod',
      nodes: [on('a', old('1', false)), on('b', old('2', false))],
      step: { remove: [], surge: ['a', 'b'] },
    },
    {
      it: 'deletes an unavailable pod on an ineligible node',
      nodes: [off('a', old('1', false))],
      step: { remove: ['1'], surge: [] },
    },
    {
      it: 'keeps an available pod on an ineligible node until another pod is available',
      nodes: [off('a', old('1')), on('b')],
      step: { remove: [], surge: [] },
    },
    {
      it: 'deletes that pod when the other one is available',
      nodes: [off('a', old('1')), on('b', updated('2'))],
      step: { remove: ['1'], surge: [] },
    },
  ])('$it', ({ nodes, step }) => {
    expect(daemonStep(nodes, { maxSurge: 1, maxUnavailable: 0 })).toEqual(step)
  })
})

test('no step deletes more available pods than maxUnavailable', () => {
  const pod = fc.record({ isUpdated: fc.boolean(), isAvailable: fc.boolean() })
  fc.assert(
    fc.property(fc.array(pod, { maxLength: 20 }), fc.integer({ min: 1, max: 5 }), (pods, maxUnavailable) => {
      const nodes = pods.map((each, i) => on(`n${i}`, { ...each, name: `p${i}` }))
      const { remove } = daemonStep(nodes, { maxSurge: 0, maxUnavailable })
      const left = pods.filter((each, i) => each.isAvailable && !remove.includes(`p${i}`)).length
      const available = pods.filter((each) => each.isAvailable).length
      expect(left).toBeGreaterThanOrEqual(Math.min(available, pods.length - maxUnavailable))
      expect(remove.every((name) => pods[Number(name.slice(1))]?.isUpdated === false)).toBe(true)
    }),
  )
})
