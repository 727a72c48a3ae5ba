import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundPod, input, node, pod } from '../../test/builders.ts'
import { decide } from '../decide/decide.ts'
import type { EnginePlugin } from '../framework/engine-plugin.ts'
import { createFramework } from '../framework/framework.ts'
import type { ClusterEvent, QueueingHint } from '../framework/queueing-hint.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { interPodAffinityHint } from './inter-pod-affinity/hint.ts'
import { interPodAffinity } from './inter-pod-affinity/plugin.ts'
import { podTopologySpreadHint } from './pod-topology-spread/hint.ts'
import { podTopologySpread } from './pod-topology-spread/plugin.ts'

const app = fc.constantFrom('web', 'db')
const topologyKey = fc.constantFrom('zone', 'host')
const term: fc.Arbitrary<PodAffinityTerm> = fc.record({
  topologyKey,
  labelSelector: app.map((value) => ({ matchLabels: { app: value } })),
})
const required = fc
  .array(term, { maxLength: 1 })
  .map((terms) => ({ requiredDuringSchedulingIgnoredDuringExecution: terms }))
const constraint: fc.Arbitrary<TopologySpreadConstraint> = fc.record({
  maxSkew: fc.constant(1),
  topologyKey,
  whenUnsatisfiable: fc.constant('DoNotSchedule'),
  labelSelector: app.map((value) => ({ matchLabels: { app: value } })),
  minDomains: fc.integer({ min: 1, max: 3 }),
})
const zone = fc.constantFrom('a', 'b', undefined)
const nodeIn = (name: string, value: string | undefined): Node =>
  node(name, {}, { metadata: { labels: { host: name, ...(value !== undefined && { zone: value }) } } })
const existingPod = fc
  .record({ on: fc.nat(2), app, podAntiAffinity: required })
  .map(({ on, app, podAntiAffinity }) => (name: string): Pod => {
    const made = boundPod(name, `n${on}`, {}, { affinity: { podAntiAffinity } })
    return { ...made, metadata: { ...made.metadata, labels: { app } } }
  })
const waitingPod = fc
  .record({
    app,
    podAffinity: required,
    podAntiAffinity: required,
    constraints: fc.array(constraint, { minLength: 1, maxLength: 2 }),
  })
  .map(({ app, podAffinity, podAntiAffinity, constraints }) =>
    pod(
      'p',
      {},
      { affinity: { podAffinity, podAntiAffinity }, topologySpreadConstraints: constraints },
      { labels: { app } },
    ),
  )
const scene = fc.record({
  zones: fc.array(zone, { minLength: 1, maxLength: 3 }),
  pods: fc.array(existingPod, { minLength: 1, maxLength: 5 }),
  waiting: waitingPod,
  change: fc.constantFrom('pod-assigned', 'pod-left', 'pod-changed', 'node-added', 'node-changed'),
  newApp: app,
  newZone: zone,
})

function fitsSomewhere(plugin: EnginePlugin, asked: Pod, nodes: readonly Node[], pods: readonly Pod[]): boolean {
  const state = createClusterState()
  for (const each of nodes) state.setNode(each)
  for (const each of pods) state.setPod(each)
  const framework = createFramework({ plugins: [{ plugin, weight: 1 }] })
  return decide(framework, state, asked, { ...input, score: false }).feasible.length > 0
}

/** Cases in which the hint returns false like upstream's; see the docstring of interPodAffinityHint. */
function isIgnoredByUpstream({ spec, metadata }: Pod, pods: readonly Pod[], { kind }: ClusterEvent): boolean {
  const isNodeEvent = kind === 'node-added' || kind === 'node-changed'
  const termsOf = ({ spec }: Pod) =>
    spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const affinity = spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const selectsItself = affinity.some(
    ({ labelSelector }) => labelSelector?.matchLabels?.['app'] === metadata.labels?.['app'],
  )
  return selectsItself || (isNodeEvent && pods.some((each) => termsOf(each).length > 0))
}

test.for<[string, EnginePlugin, QueueingHint]>([
  ['InterPodAffinity', interPodAffinity(), interPodAffinityHint],
  ['PodTopologySpread', podTopologySpread(), podTopologySpreadHint],
])('%s is helped by every event after which a rejected pod fits', ([name, plugin, hint]) => {
  let helpful = 0
  fc.assert(
    fc.property(scene, ({ zones, pods: makers, waiting, change, newApp, newZone }) => {
      const nodes = zones.map((value, index) => nodeIn(`n${index}`, value))
      const pods = makers
        .map((make, index) => make(`x${index}`))
        .filter(({ spec }) => nodes.some(({ metadata }) => metadata.name === spec.nodeName))
      const [first, ...others] = pods
      const [firstNode, ...otherNodes] = nodes
      if (first === undefined || firstNode === undefined) return
      const relabeled: Pod = { ...first, metadata: { ...first.metadata, labels: { app: newApp } } }
      const moved = nodeIn('n0', newZone)
      const extra = nodeIn('n9', newZone)
      const [event, before, after]: [
        ClusterEvent,
        [readonly Node[], readonly Pod[]],
        [readonly Node[], readonly Pod[]],
      ] =
        change === 'pod-assigned'
          ? [{ kind: change, pod: first }, [nodes, others], [nodes, pods]]
          : change === 'pod-left'
            ? [{ kind: change, pod: first }, [nodes, pods], [nodes, others]]
            : change === 'pod-changed'
              ? [{ kind: change, old: first, pod: relabeled }, [nodes, pods], [nodes, [relabeled, ...others]]]
              : change === 'node-added'
                ? [{ kind: change, node: extra }, [nodes, pods], [[...nodes, extra], pods]]
                : [{ kind: 'node-changed', old: firstNode, node: moved }, [nodes, pods], [[moved, ...otherNodes], pods]]
      if (name === 'InterPodAffinity' && isIgnoredByUpstream(waiting, pods, event)) return
      if (fitsSomewhere(plugin, waiting, ...before) || !fitsSomewhere(plugin, waiting, ...after)) return
      helpful++
      expect(hint(waiting, event)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
  expect(helpful).toBeGreaterThan(0)
})
