import { type ClusterState, createClusterState, createFramework, decide, defaultPlugins } from '@berth/fit-engine'
import type { ClusterObjectKind, ClusterObjectKinds, Node, Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { createChoices, type Choices } from './random.ts'
import { topologyQuestion } from './topology-question.ts'
import { volumesQuestion } from './volume-question.ts'

const QUESTIONS = 150
// ImageLocality depends on the order: as in kube-scheduler, the first reported size of an image counts.
const framework = createFramework({
  plugins: defaultPlugins().filter(({ plugin }) => plugin.name !== 'ImageLocality'),
})

type Question = Readonly<Record<string, unknown>>
/** Adds one object to the state. `withDetour`: it first adds another version of the object, or adds and deletes it. */
type Change = (state: ClusterState, withDetour: boolean) => void

const kinds: readonly ClusterObjectKind[] = [
  'namespaces',
  'services',
  'replicationControllers',
  'replicaSets',
  'statefulSets',
  'persistentVolumes',
  'persistentVolumeClaims',
  'storageClasses',
  'csiNodes',
  'csiDrivers',
  'csiStorageCapacities',
  'volumeAttachments',
]

function objectChanges(question: Question, kind: ClusterObjectKind): readonly Change[] {
  const byKey = new Map(
    ((question[kind] ?? []) as ClusterObjectKinds[typeof kind][]).map((object) => [
      [object.metadata.namespace, object.metadata.name].filter(Boolean).join('/'),
      object,
    ]),
  )
  return [...byKey].map(([key, object]) => (state, comesAndGoes) => {
    state.objects.set(kind, object)
    if (!comesAndGoes) return
    state.objects.delete(kind, key)
    state.objects.set(kind, object)
  })
}

function changesOf(question: Question): readonly Change[] {
  const [nodes, pods] = [question['nodes'] as Node[], question['pods'] as Pod[]]
  const nominated = (question['nominatedPods'] ?? []) as Pod[]
  return [
    ...nodes.map((node): Change => (state, comesAndGoes) => {
      if (comesAndGoes) {
        state.setNode({ ...node, spec: { unschedulable: true }, status: { allocatable: { 'example.com/other': '1' } } })
        state.deleteNode(node.metadata.name ?? '')
      }
      state.setNode(node)
    }),
    ...pods.map((pod): Change => (state, comesAndGoes) => {
      if (comesAndGoes && pod.spec.nodeName !== undefined) {
        const { nodeName: _nodeName, ...spec } = pod.spec
        const waiting = { ...pod, spec, status: {} }
        state.assume(waiting, 'n0')
        if (pod.spec.nodeName === 'n1') state.forget(waiting)
      }
      state.setPod(pod)
    }),
    ...nominated.map((pod): Change => (state, comesAndGoes) => {
      if (comesAndGoes) state.nominate(pod, 'n1')
      state.nominate(pod, pod.status?.nominatedNodeName ?? '')
    }),
    ...kinds.flatMap((kind) => objectChanges(question, kind)),
  ]
}

function shuffle<T>(items: readonly T[], choices: Choices): readonly T[] {
  return items
    .map((item) => ({ item, key: choices.number() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

function answer(state: ClusterState, pod: Pod): unknown {
  const decision = decide(framework, state, pod, { nowMs: 0, random: () => 0 })
  return {
    message: decision.message,
    totals: new Map(decision.totals),
    best: decision.best.toSorted(),
    feasible: decision.feasible.toSorted(),
    rejected: new Map([...decision.rejected].map(([node, { code, rejection }]) => [node, { code, rejection }])),
  }
}

test.for([
  { kind: 'topology', make: topologyQuestion },
  { kind: 'volumes', make: volumesQuestion },
])('a decision does not depend on the order of the changes: $kind', ({ make }) => {
  let [fits, rejects] = [0, 0]
  for (let seed = 1; seed <= QUESTIONS; seed++) {
    const choices = createChoices(seed * 7919)
    const question = make(choices) as Question
    const pod = question['pod'] as Pod
    const changes = changesOf(question)
    const [straight, mixed] = [createClusterState(), createClusterState()]
    for (const change of changes) change(straight, false)
    for (const change of shuffle(changes, choices)) change(mixed, choices.chance(0.5))
    const expected = answer(straight, pod) as { readonly feasible: readonly string[] }
    expect(answer(mixed, pod), `question ${seed}`).toEqual(expected)
    expect(answer(mixed.fork(), pod), `a copy for question ${seed}`).toEqual(expected)
    if (expected.feasible.length > 0) fits += 1
    else rejects += 1
  }
  // The test is meaningful only with enough decisions of both kinds.
  expect(Math.min(fits, rejects)).toBeGreaterThan(QUESTIONS / 10)
})
