import type { Node, Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { framework } from '../../test/builders.ts'
import type { ClusterEvent } from '../framework/queueing-hint.ts'
import { nodeAffinity } from '../plugins/node-affinity/plugin.ts'
import { createFramework } from '../framework/framework.ts'
import { findBuiltIn } from '../profile/built-in-plugins.ts'
import { unsupportedFeaturesHint, unsupportedFeaturesTopics } from '../profile/unsupported-features.ts'
import { eventTopics } from './event-topics.ts'
import { freedNode } from './freed-node.ts'
import { interestsOf } from './interests.ts'

const DONGLE = 'example.com/dongle'
const kinds: readonly Extract<ClusterEvent, { readonly kind: 'object' }>['resource'][] = [
  'namespaces',
  'persistentVolumes',
  'persistentVolumeClaims',
  'storageClasses',
  'csiNodes',
  'csiDrivers',
  'csiStorageCapacities',
  'volumeAttachments',
  'deviceClasses',
]

const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), { maxKeys: 3 })
const units = fc.constantFrom('0', '1', '2')
const node: fc.Arbitrary<Node> = fc
  .record({ labels, taint: fc.boolean(), unschedulable: fc.boolean(), units, pods: units, features: fc.boolean() })
  .map((made) => ({
    metadata: { name: 'n', labels: made.labels },
    spec: { unschedulable: made.unschedulable, taints: made.taint ? [{ key: 'k', effect: 'NoSchedule' }] : [] },
    status: {
      allocatable: { [DONGLE]: made.units, pods: made.pods },
      ...(made.features && { declaredFeatures: ['F'] }),
    },
  }))
const term = { topologyKey: 'a', labelSelector: { matchLabels: { a: '1' } } }
const pod: fc.Arbitrary<Pod> = fc
  .record({
    namespace: fc.constantFrom('x', 'y'),
    labels,
    units,
    selector: labels,
    claim: fc.constantFrom('', 'c1', 'c2'),
    hostPort: fc.constantFrom(undefined, 1, 2),
    spreads: fc.boolean(),
    attracts: fc.boolean(),
    repels: fc.boolean(),
    tolerates: fc.boolean(),
    selects: fc.boolean(),
  })
  .map((made) => ({
    metadata: { namespace: made.namespace, name: 'p', labels: made.labels },
    spec: {
      ...(made.selects && { nodeSelector: made.selector }),
      affinity: {
        ...(made.selects && {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'c', operator: 'Exists' as const }] }],
            },
          },
        }),
        ...(made.attracts && { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }),
        ...(made.repels && { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }),
      },
      ...(made.spreads && {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'b',
            whenUnsatisfiable: 'DoNotSchedule' as const,
            labelSelector: term.labelSelector,
          },
        ],
      }),
      ...(made.tolerates && { tolerations: [{ operator: 'Exists' as const }] }),
      containers: [
        {
          name: 'c',
          resources: { requests: { [DONGLE]: made.units } },
          ...(made.hostPort !== undefined && { ports: [{ containerPort: 1, hostPort: made.hostPort }] }),
        },
      ],
      volumes: made.claim === '' ? [] : [{ name: 'v', persistentVolumeClaim: { claimName: made.claim } }],
    },
  }))
const onNode = pod.map((made) => ({ ...made, spec: { ...made.spec, nodeName: 'n' } }))
const event: fc.Arbitrary<ClusterEvent> = fc.oneof(
  fc.record({ kind: fc.constant('node-added' as const), node }),
  fc.record({ kind: fc.constant('node-deleted' as const), node }),
  fc.record({ kind: fc.constant('node-changed' as const), old: node, node }),
  fc.record({ kind: fc.constant('pod-assigned' as const), pod: onNode }),
  fc.record({ kind: fc.constant('pod-left' as const), pod: onNode }),
  fc.tuple(onNode, onNode).map(([old, changed]) => ({
    kind: 'pod-changed' as const,
    old,
    pod: { ...changed, metadata: { ...changed.metadata, namespace: old.metadata.namespace ?? '' } },
  })),
  fc
    .record({
      resource: fc.constantFrom(...kinds),
      metadata: fc.record({ namespace: fc.constantFrom('x', 'y'), name: fc.constantFrom('c1', 'c2', 'p-v') }),
      isDeleted: fc.boolean(),
      isAdded: fc.boolean(),
    })
    .map(({ resource, metadata, isDeleted, isAdded }): ClusterEvent => {
      // The hints read different fields of each kind; an object without them is valid for all.
      const object = { metadata, spec: {} } as never
      return { kind: 'object', resource, metadata, isDeleted, object, ...(!isAdded && { old: object }) }
    }),
)

const hasTopicOf = (topics: readonly string[], happened: ClusterEvent): boolean => {
  const about = new Set(eventTopics(happened))
  return topics.some((topic) => about.has(topic))
}

test('every event that a queueing hint accepts has a topic of the plugin, or frees room on a node', () => {
  const checked = new Map<string, number>()
  const plugins = framework.plugins.flatMap(({ plugin: { name } }) => findBuiltIn(name) ?? [])
  fc.assert(
    fc.property(pod, event, (waiting, happened) => {
      for (const { name, hint } of plugins) {
        if (hint?.(waiting, happened) !== true) continue
        const interests = interestsOf(framework, name, waiting)
        const isCovered =
          interests?.room === undefined ? hasTopicOf(interests?.topics ?? [], happened) : freedNode(happened) === 'n'
        expect({ name, happened, isCovered }).toEqual({ name, happened, isCovered: true })
        checked.set(name, (checked.get(name) ?? 0) + 1)
      }
      const isMissed = unsupportedFeaturesHint(waiting, happened) && !hasTopicOf(unsupportedFeaturesTopics, happened)
      expect(isMissed).toBe(false)
    }),
    { numRuns: 3_000 },
  )
  const hinted = plugins.filter(({ hint }) => hint !== undefined)
  expect([...checked.keys()].toSorted()).toEqual(hinted.map(({ name }) => name).toSorted())
})

test('every label change has a topic of NodeAffinity where the arguments add an affinity', () => {
  const addedAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'hidden', operator: 'Exists' as const }] }],
    },
  }
  const plugins = [{ plugin: nodeAffinity({ addedAffinity }), weight: 1 }]
  const waiting: Pod = { metadata: { name: 'p' }, spec: { containers: [] } }
  const topics = interestsOf(createFramework({ plugins }), 'NodeAffinity', waiting)?.topics ?? []
  const old: Node = { metadata: { name: 'n' } }
  const changed: Node = { metadata: { name: 'n', labels: { hidden: '' } } }
  expect(hasTopicOf(topics, { kind: 'node-changed', old, node: changed })).toBe(true)
})

test('a heartbeat has no topic and frees no room', () => {
  const beat = (at: string): Node => ({
    metadata: { name: 'n', labels: { a: '1' } },
    spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] },
    status: { allocatable: { cpu: '1' }, conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: at }] },
  })
  const happened: ClusterEvent = { kind: 'node-changed', old: beat('1'), node: beat('2') }
  expect(eventTopics(happened)).toEqual([])
  expect(freedNode(happened)).toBeUndefined()
})
