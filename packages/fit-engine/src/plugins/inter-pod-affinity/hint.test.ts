import type { Affinity, Node, ObjectMeta, Pod, PodAffinityTerm } from '@berth/types'
import { expect, test } from 'vitest'
import { boundPod, node, pod } from '../../../test/builders.ts'
import type { ClusterEvent } from '../../framework/queueing-hint.ts'
import { interPodAffinityHint } from './hint.ts'

const term = (app: string, topologyKey = 'zone', more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app } },
  ...more,
})
const required = (...terms: readonly PodAffinityTerm[]) => ({ requiredDuringSchedulingIgnoredDuringExecution: terms })
const near = (...terms: readonly PodAffinityTerm[]): Affinity => ({ podAffinity: required(...terms) })
const apart = (...terms: readonly PodAffinityTerm[]): Affinity => ({ podAntiAffinity: required(...terms) })
const waiting = (affinity?: Affinity): Pod => pod('p', {}, affinity && { affinity }, { labels: { app: 'web' } })

interface PodFields {
  readonly affinity?: Affinity
  readonly namespace?: string
}
function onNode(labels: ObjectMeta['labels'], { affinity, namespace = 'default' }: PodFields = {}): Pod {
  const made = boundPod('other', 'n', {}, affinity && { affinity })
  return { ...made, metadata: { ...made.metadata, namespace, labels: labels ?? {} } }
}
const assigned = (...args: Parameters<typeof onNode>): ClusterEvent => ({ kind: 'pod-assigned', pod: onNode(...args) })
const left = (...args: Parameters<typeof onNode>): ClusterEvent => ({ kind: 'pod-left', pod: onNode(...args) })
const relabeledPod = (old: ObjectMeta['labels'], labels: ObjectMeta['labels']): ClusterEvent => ({
  kind: 'pod-changed',
  old: onNode(old),
  pod: onNode(labels),
})
const labeled = (labels: ObjectMeta['labels']): Node => node('n', {}, { metadata: { labels: labels ?? {} } })
const added = (labels: ObjectMeta['labels']): ClusterEvent => ({ kind: 'node-added', node: labeled(labels) })
const relabeledNode = (old: ObjectMeta['labels'], labels: ObjectMeta['labels']): ClusterEvent => ({
  kind: 'node-changed',
  old: labeled(old),
  node: labeled(labels),
})

const db = { app: 'db' }
const cache = { app: 'cache' }
const toDb = near(term('db'))
const notDb = apart(term('db'))
const namespaceSelector = { matchLabels: { team: 'a' } }
const invalid = term('db', 'zone', { labelSelector: { matchLabels: { app: 'not valid!' } } })

test.for<{ it: string; affinity?: Affinity; event: ClusterEvent; helps: boolean }>([
  { it: 'a pod that affinity selects comes', affinity: toDb, event: assigned(db), helps: true },
  { it: 'a pod that affinity does not select comes', affinity: toDb, event: assigned(cache), helps: false },
  { it: 'a pod comes to another namespace', affinity: toDb, event: assigned(db, { namespace: 'x' }), helps: false },
  {
    it: 'a pod that only one of two affinity terms selects comes',
    affinity: near(term('db'), term('cache')),
    event: assigned(db),
    helps: false,
  },
  { it: 'a pod that anti-affinity selects comes', affinity: notDb, event: assigned(db), helps: false },
  { it: 'a pod comes and there are no terms', event: assigned(db), helps: false },
  {
    it: 'a pod comes to a namespace that may be selected',
    affinity: near(term('db', 'zone', { namespaceSelector })),
    event: assigned(db, { namespace: 'x' }),
    helps: true,
  },
  { it: 'a pod is relabeled so that affinity selects it', affinity: toDb, event: relabeledPod(cache, db), helps: true },
  { it: 'affinity no longer selects a pod', affinity: toDb, event: relabeledPod(db, cache), helps: false },
  { it: 'anti-affinity no longer selects a pod', affinity: notDb, event: relabeledPod(db, cache), helps: true },
  { it: 'anti-affinity selects a relabeled pod', affinity: notDb, event: relabeledPod(cache, db), helps: false },
  { it: 'a pod changes other labels', affinity: toDb, event: relabeledPod(db, { ...db, x: 'y' }), helps: false },
  { it: 'a pod that anti-affinity selects leaves', affinity: notDb, event: left(db), helps: true },
  { it: 'a pod that anti-affinity does not select leaves', affinity: notDb, event: left(cache), helps: false },
  {
    it: 'a pod that only one of two anti-affinity terms selects leaves, as upstream',
    affinity: apart(term('db'), term('cache')),
    event: left(db),
    helps: false,
  },
  { it: 'a pod that affinity selects leaves', affinity: toDb, event: left(db), helps: false },
  { it: 'a pod leaves whose anti-affinity selects it', event: left(db, { affinity: apart(term('web')) }), helps: true },
  { it: 'a pod leaves with other anti-affinity', event: left(db, { affinity: apart(term('db')) }), helps: false },
  { it: 'a node with the key of affinity is added', affinity: toDb, event: added({ zone: 'a' }), helps: true },
  { it: 'a node without the key of affinity is added', affinity: toDb, event: added({ host: 'n' }), helps: false },
  { it: 'any node is added and there is anti-affinity', affinity: notDb, event: added({}), helps: true },
  { it: 'a node is added and there are no terms, as upstream', event: added({ zone: 'a' }), helps: false },
  { it: 'a node gets the key of affinity', affinity: toDb, event: relabeledNode({}, { zone: 'a' }), helps: true },
  {
    it: 'a node gets another value for the key of affinity',
    affinity: toDb,
    event: relabeledNode({ zone: 'a' }, { zone: 'b' }),
    helps: true,
  },
  { it: 'a node loses the key of affinity', affinity: toDb, event: relabeledNode({ zone: 'a' }, {}), helps: false },
  {
    it: 'a node gets another label',
    affinity: toDb,
    event: relabeledNode({ zone: 'a' }, { zone: 'a', x: 'y' }),
    helps: false,
  },
  {
    it: 'a node loses the key of anti-affinity',
    affinity: notDb,
    event: relabeledNode({ zone: 'a' }, {}),
    helps: true,
  },
  {
    it: 'a node gets another value for the key of anti-affinity',
    affinity: notDb,
    event: relabeledNode({ zone: 'a' }, { zone: 'b' }),
    helps: true,
  },
  {
    it: 'a node gets the key of anti-affinity',
    affinity: notDb,
    event: relabeledNode({}, { zone: 'a' }),
    helps: false,
  },
  {
    it: 'a node is relabeled and there are no terms',
    event: relabeledNode({ zone: 'a' }, { zone: 'b' }),
    helps: false,
  },
  {
    it: 'a node is deleted',
    affinity: notDb,
    event: { kind: 'node-deleted', node: labeled({ zone: 'a' }) },
    helps: false,
  },
  { it: 'a term is not valid', affinity: near(invalid), event: left(cache), helps: true },
  {
    it: 'a namespace changes',
    event: {
      kind: 'object',
      resource: 'namespaces',
      metadata: { name: 'x' },
      isDeleted: false,
      object: { metadata: { name: 'x' } },
    },
    helps: true,
  },
])('$it: helps $helps', ({ affinity, event, helps }) => {
  expect(interPodAffinityHint(waiting(affinity), event)).toBe(helps)
})
