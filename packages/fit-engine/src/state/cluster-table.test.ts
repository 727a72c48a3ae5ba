import type { Node, PodAffinityTerm, Taint } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../../test/builders.ts'
import { createClusterState } from './create-cluster-state.ts'
import { type ClusterState, decide } from '../index.ts'

const DONGLE = 'example.com/dongle'

function requested(state: ClusterState, nodeName: string, resourceName: string): bigint | undefined {
  const row = state.rowOf(nodeName)
  return row === undefined ? undefined : state.requested(row, resourceName)
}

function allocatable(state: ClusterState, nodeName: string, resourceName: string): bigint | undefined {
  const row = state.rowOf(nodeName)
  return row === undefined ? undefined : state.allocatable(row, resourceName)
}

describe('cluster state', () => {
  test('adds up the requests of bound pods, in whole units and milli cpu', () => {
    const state = createClusterState()
    state.setNode(node('a', { [DONGLE]: '4' }))
    state.setPod(boundPod('p', 'a', { cpu: '250m', memory: '1Ki', [DONGLE]: '3' }))
    state.setPod(boundPod('q', 'a', { cpu: '1', [DONGLE]: '1' }))
    expect(['cpu', 'memory', DONGLE, 'pods', 'nobody.org/x'].map((name) => requested(state, 'a', name))).toEqual([
      1250n,
      1024n,
      4n,
      2n,
      0n,
    ])
    expect(allocatable(state, 'a', DONGLE)).toBe(4n)
  })

  test.for([
    { it: 'has no node', object: pod('p', { [DONGLE]: '1' }) },
    { it: 'succeeded', object: { ...boundPod('p', 'a', { [DONGLE]: '1' }), status: { phase: 'Succeeded' } } },
    { it: 'failed', object: { ...boundPod('p', 'a', { [DONGLE]: '1' }), status: { phase: 'Failed' } } },
  ])('does not place a pod that $it', ({ object }) => {
    const state = createClusterState()
    state.setNode(node('a'))
    state.setPod(object)
    expect(requested(state, 'a', DONGLE)).toBe(0n)
    expect([...state.pods()]).toEqual([])
  })

  test('keeps the pods of an unknown node until the node is set', () => {
    const state = createClusterState()
    state.setPod(boundPod('p', 'late', { [DONGLE]: '2' }))
    expect(state.rowOf('late')).toBeUndefined()
    expect(state.nodeCount).toBe(0)
    state.setNode(node('late', { [DONGLE]: '4' }))
    expect(requested(state, 'late', DONGLE)).toBe(2n)
  })

  test('keeps the pods of a deleted node, and reuses its row once they are deleted too', () => {
    const state = createClusterState()
    const p = boundPod('p', 'a', { [DONGLE]: '2' })
    state.setNode(node('a', { [DONGLE]: '4' }))
    state.setPod(p)
    state.deleteNode('a')
    expect(state.nodeNames()).toEqual([])
    state.setNode(node('a', { [DONGLE]: '4' }))
    expect(requested(state, 'a', DONGLE)).toBe(2n)
    state.deleteNode('a')
    state.deletePod(p)
    state.setNode(node('b'))
    expect(state.rowOf('b')).toBe(0)
    expect(requested(state, 'b', DONGLE)).toBe(0n)
    expect(allocatable(state, 'b', DONGLE)).toBe(0n)
  })

  test('replaces the allocatable amounts of a node', () => {
    const state = createClusterState()
    state.setNode(node('a', { [DONGLE]: '4', 'example.com/seat': '7', storage: '1' }))
    state.setNode(node('a', { [DONGLE]: '2' }))
    expect(allocatable(state, 'a', DONGLE)).toBe(2n)
    expect(allocatable(state, 'a', 'example.com/seat')).toBe(0n)
    expect(allocatable(state, 'a', 'storage')).toBe(0n)
  })

  test('moves a pod that is bound to another node, and removes a pod that has ended', () => {
    const state = createClusterState()
    for (const name of ['a', 'b']) state.setNode(node(name))
    state.setPod(boundPod('p', 'a', { [DONGLE]: '1' }))
    state.setPod(boundPod('p', 'b', { [DONGLE]: '2' }))
    expect([requested(state, 'a', DONGLE), requested(state, 'b', DONGLE)]).toEqual([0n, 2n])
    state.setPod({ ...boundPod('p', 'b'), status: { phase: 'Failed' } })
    expect(requested(state, 'b', DONGLE)).toBe(0n)
  })

  test('is exact beyond 2^53, and returns to 0 when every pod is deleted', () => {
    const state = createClusterState()
    state.setNode(node('a', { [DONGLE]: '9007199254740993' }))
    expect(allocatable(state, 'a', DONGLE)).toBe(9007199254740993n)
    const pods = ['1', '9007199254740993', '9007199254740995'].map((units, i) =>
      boundPod(`p${i}`, 'a', { [DONGLE]: units }),
    )
    for (const p of pods) state.setPod(p)
    expect(requested(state, 'a', DONGLE)).toBe(18014398509481989n)
    for (const p of pods.toReversed()) state.deletePod(p)
    expect(requested(state, 'a', DONGLE)).toBe(0n)
  })

  test('identifies pods without a uid by namespace and name', () => {
    const state = createClusterState()
    state.setNode(node('a'))
    state.setPod(boundPod('p', 'a', { [DONGLE]: '1' }, {}))
    const nameless = { ...boundPod('p', 'a', { [DONGLE]: '1' }), metadata: { namespace: 'x', name: 'p' } }
    state.setPod(nameless)
    state.setPod(nameless)
    expect(requested(state, 'a', DONGLE)).toBe(2n)
  })

  test('refuses an object that it cannot read, and does not change', () => {
    const state = createClusterState()
    state.setNode(node('a', { [DONGLE]: '4' }))
    state.setPod(boundPod('p', 'a', { [DONGLE]: '1' }))
    expect(() => state.setPod(boundPod('p', 'a', { [DONGLE]: 'many' }))).toThrow('quantit')
    expect(() => state.setNode(node('a', { [DONGLE]: 'many' }))).toThrow('quantit')
    expect([requested(state, 'a', DONGLE), allocatable(state, 'a', DONGLE)]).toEqual([1n, 4n])
  })

  test.for<{ it: string; terms: unknown }>([
    { it: 'a list with null in it', terms: [null] },
    { it: 'a text', terms: 'x' },
    { it: 'a number', terms: 5 },
  ])('refuses a pod whose pod affinity is $it, every time', ({ terms }) => {
    const state = createClusterState()
    state.setNode(node('a'))
    const required = terms as readonly PodAffinityTerm[]
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } }
    const malformed = boundPod('p', 'a', { cpu: '1', [DONGLE]: '1' }, { affinity })
    const { generation } = state
    for (const refused of [malformed, malformed]) {
      expect(() => state.setPod(refused)).toThrow(expect.objectContaining({ code: 'BERTH_FIT_UNREADABLE' }))
      expect(() => state.assume(refused, 'a')).toThrow(expect.objectContaining({ code: 'BERTH_FIT_UNREADABLE' }))
      expect(() => state.nominate(refused, 'a')).toThrow(expect.objectContaining({ code: 'BERTH_FIT_UNREADABLE' }))
    }
    expect([requested(state, 'a', 'cpu'), requested(state, 'a', 'pods'), [...state.pods()]]).toEqual([0n, 0n, []])
    expect([state.generation, state.nominatedPods('a')]).toEqual([generation, []])
    state.setPod(boundPod('p', 'a', { cpu: '1' }))
    expect(() => state.setPod(malformed)).toThrow('read pod default/p')
    expect([requested(state, 'a', 'cpu'), requested(state, 'a', 'pods')]).toEqual([1000n, 1n])
    expect(state.podsOn(state.rowOf('a') ?? -1)).toEqual([boundPod('p', 'a', { cpu: '1' })])
  })

  test.for<{ it: string; taints: unknown }>([
    { it: 'a list with null in it', taints: [null] },
    { it: 'a text', taints: 'x' },
  ])('refuses a node whose taints are $it, and keeps the other nodes', ({ taints }) => {
    const state = createClusterState()
    state.setNode(node('a'))
    const odd = (name: string): Node => node(name, { cpu: '1' }, { spec: { taints: taints as readonly Taint[] } })
    const { generation } = state
    for (const name of ['odd', 'a', 'odd']) {
      expect(() => state.setNode(odd(name))).toThrow(expect.objectContaining({ code: 'BERTH_FIT_UNREADABLE' }))
    }
    expect([state.generation, state.nodeCount, state.nodeNames()]).toEqual([generation, 1, ['a']])
    state.setNode(node('b'))
    expect([state.nodeCount, state.nodeNames(), allocatable(state, 'a', 'cpu')]).toEqual([2, ['a', 'b'], 8000n])
    expect(decide(framework, state, pod('p'), input).feasible).toEqual(['a', 'b'])
  })

  test('accepts a node whose images have no list of names', () => {
    const state = createClusterState()
    const images = [null, { names: 5 }, { names: null }, { names: ['web:latest'] }] as unknown
    const odd = node('odd')
    state.setNode({ ...odd, status: { ...odd.status, images: images as readonly { readonly names: string[] }[] } })
    state.setNode(node('a'))
    expect(decide(framework, state, pod('p'), input).feasible).toEqual(['odd', 'a'])
    state.deleteNode('odd')
    expect(state.nodeNames()).toEqual(['a'])
  })

  test('lists the nodes of the zones in turn', () => {
    const state = createClusterState()
    const zoned = (name: string, zone: string) =>
      node(name, {}, { metadata: { labels: { 'topology.kubernetes.io/zone': zone } } })
    for (const n of [zoned('a1', 'a'), zoned('a2', 'a'), zoned('b1', 'b'), node('none'), zoned('a3', 'a')]) {
      state.setNode(n)
    }
    expect(state.nodeNames()).toEqual(['a1', 'b1', 'none', 'a2', 'a3'])
    state.setNode(zoned('a1', 'b'))
    expect(state.nodeNames()).toEqual(['a2', 'b1', 'none', 'a3', 'a1'])
  })

  test('holds more nodes than its initial capacity', () => {
    const state = createClusterState()
    for (let i = 0; i < 300; i++) state.setNode(node(`n${i}`, { [DONGLE]: `${i}` }))
    expect(state.nodeCount).toBe(300)
    expect([0, 64, 299].map((i) => allocatable(state, `n${i}`, DONGLE))).toEqual([0n, 64n, 299n])
  })
})

describe('assumptions', () => {
  const waiting = pod('p', { [DONGLE]: '2' })

  function assumed(): ClusterState {
    const state = createClusterState()
    for (const name of ['a', 'b']) state.setNode(node(name))
    state.assume(waiting, 'a')
    return state
  }

  test('take up resources at once, and can be forgotten', () => {
    const state = assumed()
    expect(state.isAssumed(waiting)).toBe(true)
    expect(state.placementOf(waiting)).toMatchObject({ nodeName: 'a', isAssumed: true })
    expect(requested(state, 'a', DONGLE)).toBe(2n)
    state.forget(waiting)
    state.forget(waiting)
    expect(requested(state, 'a', DONGLE)).toBe(0n)
    expect(state.placementOf(waiting)).toBeUndefined()
  })

  test.for([
    { it: 'on the assumed node', nodeName: 'a', held: [2n, 0n] },
    { it: 'on another node', nodeName: 'b', held: [0n, 2n] },
  ])('are confirmed by the bound pod $it', ({ nodeName, held }) => {
    const state = assumed()
    state.setPod(boundPod('p', nodeName, { [DONGLE]: '2' }))
    expect(state.isAssumed(waiting)).toBe(false)
    state.forget(waiting)
    expect(['a', 'b'].map((name) => requested(state, name, DONGLE))).toEqual(held)
  })

  test('outlive events about the unbound pod, and end when the pod is deleted', () => {
    const state = assumed()
    state.setPod(waiting)
    expect(state.isAssumed(waiting)).toBe(true)
    state.deletePod(waiting)
    expect(requested(state, 'a', DONGLE)).toBe(0n)
  })

  test('are refused for a pod that is already placed', () => {
    const state = assumed()
    expect(() => state.assume(waiting, 'b')).toThrow(
      expect.objectContaining({ code: 'BERTH_FIT_ASSUMED_TWICE', name: 'StateError' }),
    )
  })
})

describe('nominations', () => {
  test('follow the latest nomination, and end when the pod is bound or deleted', () => {
    const state = createClusterState()
    const p = pod('p')
    state.nominate(p, 'a')
    state.nominate(p, 'b')
    expect([state.nominatedPods('a'), state.nominatedPods('b')]).toEqual([[], [p]])
    state.clearNomination(p)
    expect(state.nominatedPods('b')).toEqual([])
    state.nominate(p, 'a')
    state.setPod(boundPod('p', 'a'))
    expect(state.nominatedPods('a')).toEqual([])
    state.nominate(pod('q'), 'a')
    state.deletePod(pod('q'))
    expect(state.nominatedPods('a')).toEqual([])
  })
})

describe('generation', () => {
  const p = pod('p')
  test.for<{ it: string; change: (state: ClusterState) => void; grows: boolean }>([
    { it: 'a node is added', change: (s) => s.setNode(node('x')), grows: true },
    { it: 'a node is deleted', change: (s) => s.deleteNode('a'), grows: true },
    { it: 'an unknown node is deleted', change: (s) => s.deleteNode('x'), grows: false },
    { it: 'a bound pod is added', change: (s) => s.setPod(boundPod('q', 'a')), grows: true },
    { it: 'a pending pod is set', change: (s) => s.setPod(pod('q')), grows: false },
    { it: 'an unknown pod is deleted', change: (s) => s.deletePod(pod('q')), grows: false },
    { it: 'a pod is assumed', change: (s) => s.assume(p, 'a'), grows: true },
    { it: 'a pod that is not assumed is forgotten', change: (s) => s.forget(p), grows: false },
    { it: 'a pod is nominated', change: (s) => s.nominate(p, 'a'), grows: true },
  ])('when $it: grows $grows', ({ change, grows }) => {
    const state = createClusterState()
    state.setNode(node('a'))
    const before = state.generation
    change(state)
    expect(state.generation > before).toBe(grows)
  })
})

describe('fork', () => {
  test('starts with the content of the state, and neither sees later changes of the other', () => {
    const state = createClusterState()
    for (const name of ['a', 'b']) state.setNode(node(name, { [DONGLE]: '4' }))
    state.setPod(boundPod('p', 'a', { [DONGLE]: '1' }))
    state.nominate(pod('w'), 'a')
    const copy = state.fork()
    copy.deletePod(boundPod('p', 'a'))
    copy.setNode(node('a', { [DONGLE]: '9', 'example.com/seat': '1' }))
    copy.setNode(node('c'))
    copy.clearNomination(pod('w'))
    state.setPod(boundPod('q', 'b', { [DONGLE]: '3' }))
    state.deleteNode('b')
    expect([requested(copy, 'a', DONGLE), allocatable(copy, 'a', DONGLE)]).toEqual([0n, 9n])
    expect([requested(state, 'a', DONGLE), allocatable(state, 'a', DONGLE)]).toEqual([1n, 4n])
    expect([requested(copy, 'b', DONGLE), copy.nodeNames()]).toEqual([0n, ['a', 'b', 'c']])
    expect([state.rowOf('b'), state.nodeNames()]).toEqual([undefined, ['a']])
    expect([state.nominatedPods('a').length, copy.nominatedPods('a').length]).toEqual([1, 0])
    expect([...copy.pods()]).toEqual([])
    expect([...state.pods()].map(({ metadata }) => metadata.name)).toEqual(['p', 'q'])
  })
})
