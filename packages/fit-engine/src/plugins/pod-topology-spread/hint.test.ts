import type { Node, ObjectMeta, Pod, Taint, TopologySpreadConstraint } from '@berth/types'
import { expect, test } from 'vitest'
import { boundPod, node, pod } from '../../../test/builders.ts'
import type { ClusterEvent } from '../../framework/queueing-hint.ts'
import { podTopologySpreadHint } from './hint.ts'

const hard = (topologyKey: string, app = 'web'): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app } },
})
const soft = (app: string): TopologySpreadConstraint => ({ ...hard('zone', app), whenUnsatisfiable: 'ScheduleAnyway' })
const waiting = (...topologySpreadConstraints: readonly TopologySpreadConstraint[]): Pod =>
  pod('p', {}, { topologySpreadConstraints }, { labels: { app: 'web', version: '1' } })

function onNode(labels: ObjectMeta['labels'], namespace = 'default'): Pod {
  const made = boundPod('other', 'n')
  return { ...made, metadata: { ...made.metadata, namespace, labels: labels ?? {} } }
}
const assigned = (...args: Parameters<typeof onNode>): ClusterEvent => ({ kind: 'pod-assigned', pod: onNode(...args) })
const left = (...args: Parameters<typeof onNode>): ClusterEvent => ({ kind: 'pod-left', pod: onNode(...args) })
const relabeledPod = (old: ObjectMeta['labels'], labels: ObjectMeta['labels'], namespace?: string): ClusterEvent => ({
  kind: 'pod-changed',
  old: onNode(old, namespace),
  pod: onNode(labels, namespace),
})
const taint: Taint = { key: 'x', effect: 'NoSchedule' }
const nodeWith = (labels: ObjectMeta['labels'], taints: readonly Taint[] = []): Node =>
  node('n', {}, { metadata: { labels: labels ?? {} }, spec: { taints } })
const changed = (old: Node, value: Node): ClusterEvent => ({ kind: 'node-changed', old, node: value })

const web = { app: 'web' }
const db = { app: 'db' }
const a = nodeWith({ zone: 'a', host: 'n' })
const b = nodeWith({ zone: 'b', host: 'n' })
const bare = nodeWith({})
const zones = waiting(hard('zone'))
const both = waiting(hard('zone'), hard('host', 'db'))

test.for<{ it: string; of?: Pod; event: ClusterEvent; helps: boolean }>([
  { it: 'a selected pod comes', event: assigned(web), helps: true },
  { it: 'a selected pod leaves', event: left(web), helps: true },
  { it: 'another pod comes', event: assigned(db), helps: false },
  { it: 'another pod leaves', event: left(db), helps: false },
  { it: 'a selected pod leaves another namespace', event: left(web, 'x'), helps: false },
  { it: 'a pod leaves that one of two constraints selects', of: both, event: left(db), helps: true },
  {
    it: 'a pod leaves that only a ScheduleAnyway constraint selects',
    of: waiting(hard('zone'), soft('db')),
    event: left(db),
    helps: false,
  },
  { it: 'a pod is selected now', event: relabeledPod(db, web), helps: true },
  { it: 'a pod is no longer selected', event: relabeledPod(web, db), helps: true },
  { it: 'a pod of another namespace is no longer selected', event: relabeledPod(web, db, 'x'), helps: false },
  { it: 'a selected pod changes other labels', event: relabeledPod(web, { ...web, x: 'y' }), helps: false },
  {
    it: 'a pod with another value of a label in matchLabelKeys leaves',
    of: waiting({ ...hard('zone'), matchLabelKeys: ['version'] }),
    event: left({ ...web, version: '2' }),
    helps: false,
  },
  { it: 'a node with the key is added', event: { kind: 'node-added', node: a }, helps: true },
  { it: 'a node without the key is added', event: { kind: 'node-added', node: bare }, helps: false },
  {
    it: 'a node with one of two keys is added',
    of: both,
    event: { kind: 'node-added', node: nodeWith({ zone: 'a' }) },
    helps: false,
  },
  { it: 'a node with the key is deleted', event: { kind: 'node-deleted', node: a }, helps: true },
  { it: 'a node without the key is deleted', event: { kind: 'node-deleted', node: bare }, helps: false },
  { it: 'a node gets the key', event: changed(bare, a), helps: true },
  { it: 'a node loses the key', event: changed(a, bare), helps: true },
  { it: 'a node moves to another domain', event: changed(a, b), helps: true },
  { it: 'a node gets another label', event: changed(a, nodeWith({ zone: 'a', host: 'n', x: 'y' })), helps: false },
  { it: 'a node with the key changes its taints', event: changed(a, nodeWith({ zone: 'a' }, [taint])), helps: true },
  { it: 'a node without the key changes its taints', event: changed(bare, nodeWith({}, [taint])), helps: false },
  {
    it: 'an absent list of taints becomes an empty one',
    event: changed(node('n', {}, { metadata: { labels: { zone: 'a' } } }), nodeWith({ zone: 'a' })),
    helps: false,
  },
  {
    it: 'a namespace changes',
    event: {
      kind: 'object',
      resource: 'namespaces',
      metadata: { name: 'x' },
      isDeleted: false,
      object: { metadata: { name: 'x' } },
    },
    helps: false,
  },
  { it: 'a pod leaves and only default constraints apply', of: waiting(), event: left(db), helps: true },
  {
    it: 'a node is deleted and only default constraints apply',
    of: waiting(),
    event: { kind: 'node-deleted', node: bare },
    helps: true,
  },
])('$it: helps $helps', ({ of = zones, event, helps }) => {
  expect(podTopologySpreadHint(of, event)).toBe(helps)
})
