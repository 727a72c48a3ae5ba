import type { Node, Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundPod, framework, input, pod } from '../../test/builders.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from './decide.ts'
import type { ClusterState } from '../index.ts'

const HUGE = 2n ** 53n

const RESOURCES = ['cpu', 'memory', 'ephemeral-storage', 'example.com/a', 'example.com/b', 'hugepages-2Mi'] as const
type Amounts = Partial<Record<(typeof RESOURCES)[number] | 'pods', bigint>>

const amount = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt(0n, 6n) },
  { weight: 1, arbitrary: fc.bigInt(HUGE - 3n, HUGE + 3n) },
)
const amounts: fc.Arbitrary<Amounts> = fc.record(
  Object.fromEntries(RESOURCES.map((name) => [name, amount])) as Record<string, fc.Arbitrary<bigint>>,
  { requiredKeys: [] },
)

/** Quantities are written in whole units; cpu in milli, so that the amount is what the engine compares. */
function quantities(list: Amounts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(list).map(([name, units]) => [name, name === 'cpu' ? `${units}m` : `${units}`]),
  )
}

interface Scene {
  readonly nodes: readonly Amounts[]
  /** The node and the units of each bound pod. */
  readonly pods: readonly { readonly on: number; readonly holds: Amounts }[]
  readonly asks: Amounts
}

const scene: fc.Arbitrary<Scene> = fc
  .array(
    fc.tuple(amounts, fc.bigInt(0n, 4n)).map(([offer, pods]) => ({ ...offer, pods })),
    { minLength: 1, maxLength: 6 },
  )
  .chain((nodes) =>
    fc.record({
      nodes: fc.constant(nodes),
      pods: fc.array(fc.record({ on: fc.nat(nodes.length - 1), holds: amounts }), { maxLength: 8 }),
      asks: amounts,
    }),
  )

const nodeOf = (offer: Amounts, i: number): Node => ({
  metadata: { name: `n${i}` },
  status: { allocatable: quantities(offer) },
})
const boundPods = ({ pods }: Scene): readonly Pod[] =>
  pods.map(({ on, holds }, i) => boundPod(`p${i}`, `n${on}`, quantities(holds)))

function stateOf(scene: Scene): ClusterState {
  const state = createClusterState()
  scene.nodes.forEach((offer, i) => state.setNode(nodeOf(offer, i)))
  for (const bound of boundPods(scene)) state.setPod(bound)
  return state
}

/** The rule of NodeResourcesFit in the plainest words, on bigints only. */
function fitsNaively({ nodes, pods }: Scene, on: number, asks: Amounts): boolean {
  const mine = pods.filter((bound) => bound.on === on)
  if (BigInt(mine.length) + 1n > (nodes[on]?.pods ?? 0n)) return false
  return RESOURCES.every((name) => {
    const held = mine.reduce((sum, { holds }) => sum + (holds[name] ?? 0n), 0n)
    const wanted = asks[name] ?? 0n
    return wanted === 0n || wanted <= (nodes[on]?.[name] ?? 0n) - held
  })
}

function feasible(state: ClusterState, candidate: Pod): readonly string[] {
  return decide(framework, state, candidate, input).feasible.toSorted()
}

const candidate = ({ asks }: Scene): Pod => pod('candidate', quantities(asks))

test('the engine agrees with a naive filter on every node', () => {
  fc.assert(
    fc.property(scene, (scene) => {
      const expected = scene.nodes.flatMap((_, i) => (fitsNaively(scene, i, scene.asks) ? [`n${i}`] : []))
      expect(feasible(stateOf(scene), candidate(scene))).toEqual(expected.toSorted())
    }),
    { numRuns: 500 },
  )
})

test('finds the same nodes with and without recording rejections', () => {
  fc.assert(
    fc.property(scene, (scene) => {
      const state = stateOf(scene)
      const full = decide(framework, state, candidate(scene), input)
      const quick = decide(framework, state, candidate(scene), { ...input, rejections: 'when-none-fits' })
      expect([quick.feasible, quick.best, quick.message]).toEqual([full.feasible, full.best, full.message])
    }),
  )
})

test('finds the same nodes without recording rejections while pods are added, removed and nominated', () => {
  const move = fc.record({ on: fc.nat(7), asks: fc.nat(4), kind: fc.constantFrom('come', 'go', 'nominate', 'node') })
  let asked = 0
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
      const state = createClusterState()
      const offer = { pods: 3n, cpu: 4000n, memory: 4n, 'example.com/a': 4n }
      for (let i = 0; i < 7; i++) state.setNode(nodeOf(offer, i))
      for (const { on, asks, kind } of moves) {
        const other = pod(`on-${on}-${asks}`, { cpu: '1', 'example.com/a': `${asks}` })
        const placed = { ...other, spec: { ...other.spec, nodeName: `n${on}` } }
        if (kind === 'come') state.setPod(placed)
        else if (kind === 'go') state.deletePod(placed)
        else if (kind === 'nominate') state.nominate({ ...other, spec: { ...other.spec, priority: 5 } }, `n${on}`)
        else state.setNode(nodeOf({ ...offer, 'example.com/a': BigInt(asks) }, on))
        const question = pod('question', { cpu: '2', 'example.com/a': `${(asks % 4) + 1}` })
        const full = decide(framework, state, question, input)
        const quick = decide(framework, state, question, { ...input, rejections: 'when-none-fits' })
        expect([quick.feasible, quick.best, quick.message]).toEqual([full.feasible, full.best, full.message])
        asked += 1
      }
    }),
    { numRuns: 300 },
  )
  expect(asked).toBeGreaterThan(500)
})

test('the order of updates does not matter', () => {
  fc.assert(
    fc.property(scene, fc.infiniteStream(fc.nat()), fc.boolean(), (scene, keys, comesAndGoes) => {
      const state = createClusterState()
      const changes: (() => void)[] = [
        ...scene.nodes.map((offer, i) => () => {
          if (comesAndGoes) {
            state.setNode(nodeOf({ ...offer, 'example.com/b': 1n }, i))
            state.deleteNode(`n${i}`)
          }
          state.setNode(nodeOf(offer, i))
        }),
        ...boundPods(scene).map((bound) => () => {
          if (comesAndGoes) state.setPod({ ...bound, spec: { ...bound.spec, nodeName: 'n0' } })
          state.setPod(bound)
        }),
      ]
      const shuffled = changes.map((change) => ({ change, key: keys.next().value })).sort((a, b) => a.key - b.key)
      for (const { change } of shuffled) change()
      const straight = decide(framework, stateOf(scene), candidate(scene), input)
      const other = decide(framework, state, candidate(scene), input)
      expect(other.feasible.toSorted()).toEqual(straight.feasible.toSorted())
      expect(new Map(other.totals)).toEqual(new Map(straight.totals))
      expect(other.message).toBe(straight.message)
    }),
  )
})

test('assuming and forgetting a pod restores every amount', () => {
  fc.assert(
    fc.property(scene, (scene) => {
      const state = stateOf(scene)
      const amountsOf = () =>
        state.nodeNames().map((name) => {
          const row = state.rowOf(name) ?? -1
          return [...RESOURCES, 'pods'].map((resource) => state.requested(row, resource))
        })
      const before = amountsOf()
      const answer = feasible(state, candidate(scene))
      state.assume(candidate(scene), 'n0')
      state.forget(candidate(scene))
      expect(amountsOf()).toEqual(before)
      expect(feasible(state, candidate(scene))).toEqual(answer)
    }),
  )
})

test('pods placed one after the other never exceed allocatable', () => {
  fc.assert(
    fc.property(scene, fc.array(amounts, { maxLength: 20 }), ({ nodes }, waiting) => {
      const state = stateOf({ nodes, pods: [], asks: {} })
      waiting.forEach((asks, i) => {
        const next = pod(`w${i}`, quantities(asks))
        const [node] = decide(framework, state, next, { ...input, rejections: 'when-none-fits' }).best
        if (node !== undefined) state.assume(next, node)
      })
      for (const name of state.nodeNames()) {
        const row = state.rowOf(name) ?? -1
        for (const resource of [...RESOURCES, 'pods']) {
          expect(state.requested(row, resource)).toBeLessThanOrEqual(state.allocatable(row, resource))
        }
      }
    }),
  )
})

test('removing a pod never reduces free room', () => {
  fc.assert(
    fc.property(scene, (scene) => {
      const state = stateOf(scene)
      for (const leaving of boundPods(scene)) {
        const before = feasible(state, candidate(scene))
        state.deletePod(leaving)
        expect(feasible(state, candidate(scene))).toEqual(expect.arrayContaining([...before]))
      }
    }),
  )
})

test('a fork decides as the original did, whatever happens to the original', () => {
  fc.assert(
    fc.property(scene, (scene) => {
      const state = stateOf(scene)
      const answer = feasible(state, candidate(scene))
      const fork = state.fork()
      for (const name of state.nodeNames()) state.deleteNode(name)
      for (const bound of boundPods(scene)) state.deletePod(bound)
      expect(feasible(fork, candidate(scene))).toEqual(answer)
    }),
  )
})
