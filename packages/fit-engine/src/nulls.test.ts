import type { Affinity, LabelSelector, Node, NodeSelectorTerm, ObjectMeta, Pod, PodSpec } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../test/builders.ts'
import { claim, claimed, lateClass, type Stored, stored, volume } from '../test/storage-builders.ts'
import { decide, preempt } from './index.ts'

/** The input of a decision. */
interface Question {
  readonly pod: Pod
  readonly bound?: readonly Pod[]
  readonly nodes?: readonly Node[]
  readonly objects?: Stored
}

interface Case {
  readonly it: string
  /** With nulls that the types do not know: YAML may say them, and Go reads them as what is absent. */
  readonly nulls: Question
  /** The same without; by default `nulls` without the fields that are null. */
  readonly plain?: Question
}

const ZONE = 'zone'
/** A null where the types want something else. */
const none = null as never

function withoutNulls<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_key, part: unknown) => (part === null ? undefined : part))) as T
}

function answer({ pod: asked, bound = [], nodes, objects }: Question): unknown {
  const zoned = ['a', 'b'].map((name) => node(name, {}, { metadata: { name, labels: { [ZONE]: name } } }))
  const state = stored(nodes ?? [...zoned, node('bare')], objects, bound)
  const [first, again] = Array.from({ length: 2 }, () => {
    const decision = decide(framework, state, asked, { ...input, pluginScores: true })
    const { error, feasible, message, totals } = decision
    return { error, feasible, message, totals: [...totals], rejected: [...decision.rejected] }
  })
  expect(again).toEqual(first)
  return first
}

const asking = (spec: Partial<PodSpec>, metadata: ObjectMeta = {}): Question => ({
  pod: pod('p', { cpu: '1' }, spec, metadata),
})
const wanting = (affinity: Affinity): Question => asking({ affinity })
const onNodes = (...nodeSelectorTerms: readonly NodeSelectorTerm[]): Question =>
  wanting({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } })
const withNeighbor = (labelSelector: LabelSelector, labels?: Readonly<Record<string, string>> | null): Question => {
  const term = { topologyKey: ZONE, labelSelector, namespaces: none, namespaceSelector: none }
  const podAntiAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: [term],
    preferredDuringSchedulingIgnoredDuringExecution: none,
  }
  const bare = boundPod('bare', 'b')
  return {
    pod: pod('p', {}, { affinity: { podAffinity: none, podAntiAffinity } }, { labels: labels ?? none }),
    bound: [
      { ...boundPod('db', 'a'), metadata: { namespace: 'default', name: 'db', labels: { app: 'db' } } },
      { ...bare, metadata: { ...bare.metadata, labels: none, deletionTimestamp: none } },
    ],
  }
}
const spread = (labels: Readonly<Record<string, string>> | null): Question => ({
  ...withNeighbor({}, labels),
  pod: pod(
    'p',
    {},
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: ZONE,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: none, matchExpressions: [{ key: 'app', operator: 'Exists', values: none }] },
          minDomains: none,
          matchLabelKeys: none,
          nodeAffinityPolicy: none,
          nodeTaintsPolicy: none,
        },
      ],
    },
    { labels: labels ?? none },
  ),
})
const storing = (objects: Stored, metadata: ObjectMeta = {}): Question => ({
  ...asking({ volumes: [claimed('c')] }, metadata),
  objects,
})
const nothing = { key: none, operator: none, value: none, effect: none }
const tainted = ['a', 'z'].map((key) =>
  node(key, {}, { spec: { taints: [{ key, value: none, effect: 'NoSchedule' }] } }),
)
const boundClaim = claim('c', { volumeName: 'v', accessModes: none, storageClassName: none, selector: none })

describe('an explicit null equals an absent field', () => {
  test.for<Case>([
    { it: 'matchFields', nulls: onNodes({ matchFields: none, matchExpressions: [{ key: ZONE, operator: 'Exists' }] }) },
    {
      it: 'matchExpressions',
      nulls: onNodes({
        matchExpressions: none,
        matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }],
      }),
    },
    { it: 'both of a term', nulls: onNodes({ matchExpressions: none, matchFields: none }) },
    { it: 'values of Exists', nulls: onNodes({ matchExpressions: [{ key: ZONE, operator: 'Exists', values: none }] }) },
    { it: 'values of In', nulls: onNodes({ matchExpressions: [{ key: ZONE, operator: 'In', values: none }] }) },
    {
      it: 'values of a field',
      nulls: onNodes({ matchFields: [{ key: 'metadata.name', operator: 'In', values: none }] }),
    },
    { it: 'a key', nulls: onNodes({ matchExpressions: [{ key: none, operator: 'Exists' }] }), plain: onNodes({}) },
    { it: 'a term', nulls: onNodes(none), plain: onNodes({}) },
    {
      it: 'the terms',
      nulls: wanting({
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: none },
          preferredDuringSchedulingIgnoredDuringExecution: none,
        },
      }),
    },
    {
      it: 'a preferred term',
      nulls: wanting({
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: none }] },
      }),
    },
    {
      it: 'a value of the nodeSelector',
      nulls: asking({ nodeSelector: { [ZONE]: none } }),
      plain: asking({ nodeSelector: { [ZONE]: '' } }),
    },
    { it: 'matchLabels', nulls: withNeighbor({ matchLabels: none, matchExpressions: none }) },
    {
      it: 'values of a label selector',
      nulls: withNeighbor({ matchExpressions: [{ key: 'app', operator: 'Exists', values: none }] }),
    },
    { it: 'labels of the candidate and of a bound pod', nulls: withNeighbor({ matchLabels: { app: 'db' } }, null) },
    { it: 'everything in a spread constraint', nulls: spread({ app: 'db' }) },
    { it: 'labels of a pod that is spread', nulls: spread(null) },
    {
      it: 'a label',
      nulls: { ...spread(null), bound: [{ ...boundPod('q', 'a'), metadata: { labels: { app: none } } }] },
      plain: { ...withoutNulls(spread(null)), bound: [{ ...boundPod('q', 'a'), metadata: { labels: { app: '' } } }] },
    },
    {
      it: 'uid of bound pods',
      nulls: {
        ...asking({}),
        bound: ['x', 'y'].map((name) => ({ ...boundPod(name, 'a', { cpu: '4' }), metadata: { name, uid: none } })),
      },
    },
    {
      it: 'everything of a node but its name',
      nulls: {
        ...onNodes({ matchExpressions: [{ key: ZONE, operator: 'DoesNotExist' }] }),
        nodes: [
          {
            metadata: { name: 'a', labels: none, annotations: none },
            spec: { taints: none, unschedulable: none },
            status: { allocatable: { cpu: '4', pods: '9' }, images: none },
          },
          { metadata: { name: 'b' }, spec: none, status: none },
        ],
      },
    },
    { it: 'the tolerations', nulls: { ...asking({ tolerations: none }), nodes: tainted } },
    {
      it: 'all of a toleration but its operator',
      nulls: { ...asking({ tolerations: [{ ...nothing, operator: 'Exists' }] }), nodes: tainted },
    },
    {
      it: 'all of many tolerations but their keys',
      nulls: {
        ...asking({
          tolerations: Array.from({ length: 20 }, (_, i) => ({ ...nothing, key: i === 0 ? 'a' : `key-${i}` })),
        }),
        nodes: tainted,
      },
    },
    {
      it: 'labels and terms of a bound volume',
      nulls: storing({
        persistentVolumeClaims: [boundClaim],
        persistentVolumes: [volume('v', { nodeAffinity: { required: { nodeSelectorTerms: none } } }, { labels: none })],
      }),
    },
    {
      it: 'labels, affinity and claim of a bound volume',
      nulls: storing({
        persistentVolumeClaims: [boundClaim],
        persistentVolumes: [
          volume('v', { nodeAffinity: none, claimRef: none, csi: none }, { labels: none, annotations: none }),
        ],
      }),
    },
    {
      it: 'optional fields of a waiting claim and a volume',
      nulls: storing({
        persistentVolumeClaims: [
          claim('c', { volumeName: none, storageClassName: 'late', accessModes: none, resources: none }),
        ],
        persistentVolumes: [volume('v', { storageClassName: 'late', capacity: none, accessModes: none })],
        storageClasses: [lateClass('late', { allowedTopologies: none })],
        csiDrivers: [{ metadata: { name: 'csi.example.com' }, spec: none }],
      }),
    },
    {
      it: 'namespace of pod and claim',
      nulls: storing(
        {
          persistentVolumeClaims: [claim('c', { volumeName: 'v' }, { namespace: none })],
          persistentVolumes: [volume('v')],
        },
        { namespace: none },
      ),
    },
    {
      it: 'labels of a pod that a service could select',
      nulls: {
        ...asking({}, { labels: none }),
        objects: { services: [{ metadata: { namespace: 'default', name: 's' }, spec: { selector: { app: 'x' } } }] },
      },
    },
  ])('$it', ({ nulls, plain }) => {
    const given = answer(nulls)
    expect(given).toHaveProperty('error', undefined)
    expect(given).toEqual(answer(plain ?? withoutNulls(nulls)))
  })

  test('spec and status of a disruption budget, labels of a victim', () => {
    const victim = boundPod('victim', 'n', { cpu: '1' }, { priority: none })
    const state = stored([node('n', { cpu: '1' })], {}, [
      { ...victim, metadata: { ...victim.metadata, labels: none }, status: { startTime: none, conditions: none } },
    ])
    const asked = pod('p', { cpu: '1' }, { priority: 5 })
    const disruptionBudgets = [
      { metadata: { name: 'x', namespace: 'default' }, spec: none },
      { metadata: { name: 'y', namespace: 'default' }, spec: { selector: { matchLabels: none } }, status: none },
    ]
    const { candidates } = preempt(framework, state, asked, decide(framework, state, asked, input), {
      ...input,
      disruptionBudgets,
    })
    expect(candidates.map(({ victims }) => victims.map(({ metadata }) => metadata.name))).toEqual([['victim']])
  })
})
