import type { Affinity, Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { framework, input, node, pod } from '../../test/builders.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from '../decide/decide.ts'

const KEYS = ['zone', 'host', 'rack'] as const
const app = fc.constantFrom('web', 'db')
const namespace = fc.constantFrom('default', 'other')
const key = fc.constantFrom(...KEYS)

const someNode: fc.Arbitrary<Node> = fc
  .record({ name: fc.nat(4), zone: fc.option(fc.nat(2)), rack: fc.option(fc.nat(1)) })
  .map(({ name, zone, rack }) => {
    const labels = {
      host: `n${name}`,
      ...(zone !== null && { zone: `z${zone}` }),
      ...(rack !== null && { rack: `${rack}` }),
    }
    return node(`n${name}`, {}, { metadata: { labels } })
  })
const term: fc.Arbitrary<PodAffinityTerm> = fc.record(
  {
    topologyKey: key,
    labelSelector: app.map((value) => ({ matchLabels: { app: value } })),
    namespaces: fc.array(namespace, { maxLength: 2 }),
  },
  { requiredKeys: ['topologyKey', 'labelSelector'] },
)
const required = fc
  .array(term, { maxLength: 2 })
  .map((terms) => ({ requiredDuringSchedulingIgnoredDuringExecution: terms }))
const affinity: fc.Arbitrary<Affinity> = fc.record(
  { podAffinity: required, podAntiAffinity: required },
  { requiredKeys: [] },
)
const constraint: fc.Arbitrary<TopologySpreadConstraint> = fc.record({
  maxSkew: fc.integer({ min: 1, max: 2 }),
  topologyKey: key,
  whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
  labelSelector: app.map((value) => ({ matchLabels: { app: value } })),
  minDomains: fc.integer({ min: 1, max: 3 }),
})

const somePod: fc.Arbitrary<Pod> = fc
  .record({ name: fc.nat(7), on: fc.nat(4), app, namespace, affinity, isEnding: fc.boolean() })
  .map(({ name, on, app, namespace, affinity, isEnding }) =>
    pod(
      `p${name}`,
      {},
      { nodeName: `n${on}`, affinity },
      {
        namespace,
        labels: { app },
        ...(isEnding && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      },
    ),
  )
const candidate: fc.Arbitrary<Pod> = fc
  .record({ app, namespace, affinity, constraints: fc.array(constraint, { maxLength: 2 }) })
  .map(({ app, namespace, affinity, constraints }) =>
    pod('candidate', {}, { affinity, topologySpreadConstraints: constraints }, { namespace, labels: { app } }),
  )

interface Step {
  readonly kind: 'node' | 'pod' | 'no-node' | 'no-pod' | 'fork' | 'ask'
  readonly node: Node
  readonly pod: Pod
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('node', 'node', 'pod', 'pod', 'pod', 'no-node', 'no-pod', 'fork', 'ask'),
  node: someNode,
  pod: somePod,
})

function answer(state: ClusterState, asked: Pod) {
  const { feasible, totals, message } = decide(framework, state, asked, input)
  return { feasible: feasible.toSorted(), totals: Object.fromEntries(totals), message }
}

test('a state changed step by step decides as one built at once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), candidate, (steps, asked) => {
      let state = createClusterState()
      const nodes = new Map<string, Node>()
      const pods = new Map<string, Pod>()
      for (const { kind, node, pod } of steps) {
        const name = node.metadata.name ?? ''
        if (kind === 'node') state.setNode(node)
        if (kind === 'node') nodes.set(name, node)
        if (kind === 'no-node') state.deleteNode(name)
        if (kind === 'no-node') nodes.delete(name)
        if (kind === 'pod') state.setPod(pod)
        if (kind === 'pod') pods.set(pod.metadata.uid ?? '', pod)
        if (kind === 'no-pod') state.deletePod(pod)
        if (kind === 'no-pod') pods.delete(pod.metadata.uid ?? '')
        if (kind === 'ask') answer(state, asked)
        if (kind === 'fork') {
          const origin = state
          state = state.fork()
          origin.setPod(pod)
          answer(origin, asked)
        }
      }
      const fresh = createClusterState()
      for (const each of nodes.values()) fresh.setNode(each)
      for (const each of pods.values()) fresh.setPod(each)
      expect(answer(state, asked)).toEqual(answer(fresh, asked))
    }),
    { numRuns: 200 },
  )
})

/** Returns whether a term of `owner` selects `other`. */
function termSelects({ labelSelector, namespaces }: PodAffinityTerm, owner: Pod, other: Pod): boolean {
  const named = namespaces === undefined || namespaces.length === 0 ? [owner.metadata.namespace ?? ''] : namespaces
  return (
    named.includes(other.metadata.namespace ?? '') &&
    labelSelector?.matchLabels?.['app'] === other.metadata.labels?.['app']
  )
}

/** Required affinity and hard spreading said in the plainest way, node by node. */
function naivelyFits(asked: Pod, home: Node, nodes: readonly Node[], pods: readonly Pod[]): boolean {
  const label = (at: Node | undefined, topologyKey: string) => at?.metadata.labels?.[topologyKey]
  const nodeOf = ({ spec }: Pod) => nodes.find(({ metadata }) => metadata.name === spec.nodeName)
  const wanted = asked.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const unwanted = asked.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const isNear = (other: Pod, topologyKey: string) => {
    const value = label(nodeOf(other), topologyKey)
    return value !== undefined && value === label(home, topologyKey)
  }
  const company = pods.filter((other) => wanted.every((each) => termSelects(each, asked, other)))
  const isFirst =
    !company.some((other) => wanted.some(({ topologyKey }) => label(nodeOf(other), topologyKey) !== undefined)) &&
    wanted.every((each) => termSelects(each, asked, asked))
  const hasCompany = wanted.every(({ topologyKey }) => company.some((other) => isNear(other, topologyKey)))
  const hasKeys = wanted.every(({ topologyKey }) => label(home, topologyKey) !== undefined)
  if (!hasKeys || !(hasCompany || isFirst)) return false
  if (unwanted.some((each) => pods.some((other) => termSelects(each, asked, other) && isNear(other, each.topologyKey))))
    return false
  const isShunned = pods.some((other) =>
    (other.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
      (each) => termSelects(each, other, asked) && isNear(other, each.topologyKey),
    ),
  )
  if (isShunned) return false
  const hard = (asked.spec.topologySpreadConstraints ?? []).filter((each) => each.whenUnsatisfiable === 'DoNotSchedule')
  const eligible = nodes.filter((each) => hard.every(({ topologyKey }) => label(each, topologyKey) !== undefined))
  return hard.every(({ topologyKey, labelSelector, maxSkew, minDomains = 1 }) => {
    const isLike = (each: Pod) => labelSelector?.matchLabels?.['app'] === each.metadata.labels?.['app']
    const held = (value: string | undefined) =>
      pods.filter((other) => {
        const at = nodeOf(other)
        const isCounted = at !== undefined && eligible.includes(at) && label(at, topologyKey) === value
        const isOwn = other.metadata.namespace === asked.metadata.namespace
        return isCounted && isOwn && isLike(other) && other.metadata.deletionTimestamp === undefined
      }).length
    const domains = [...new Set(eligible.map((each) => label(each, topologyKey)))]
    const fewest = domains.length < minDomains ? 0 : Math.min(...domains.map(held))
    const value = label(home, topologyKey)
    return value !== undefined && held(value) + (isLike(asked) ? 1 : 0) - fewest <= maxSkew
  })
}

test('finds the same nodes as a naive implementation', () => {
  const nodeList = fc.uniqueArray(someNode, { minLength: 1, selector: ({ metadata }) => metadata.name })
  const podList = fc.uniqueArray(somePod, { selector: ({ metadata }) => metadata.uid })
  fc.assert(
    fc.property(nodeList, podList, candidate, (nodes, pods, asked) => {
      const state = createClusterState()
      for (const each of nodes) state.setNode(each)
      for (const each of pods) state.setPod(each)
      const expected = nodes
        .filter((home) => naivelyFits(asked, home, nodes, pods))
        .map(({ metadata }) => metadata.name ?? '')
      expect(answer(state, asked).feasible).toEqual(expected.toSorted())
    }),
    { numRuns: 300 },
  )
})
