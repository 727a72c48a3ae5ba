import type { Node, ObjectMeta, Pod, PodSpec } from '@berth/types'
import { expect, test } from 'vitest'
import { boundPod, node, pod } from '../../test/builders.ts'
import type { ClusterEvent, QueueingHint } from '../framework/queueing-hint.ts'
import { nodeAffinityHint } from './node-affinity/hint.ts'
import { nodePortsHint } from './node-ports/hint.ts'
import { nodeUnschedulableHint } from './node-unschedulable/hint.ts'
import { taintTolerationHint } from './taint-toleration/hint.ts'

const nodeWith = (labels: ObjectMeta['labels'] = {}, spec: Node['spec'] = {}): Node =>
  node('n', {}, { metadata: { labels }, spec })
const added = (value: Node): ClusterEvent => ({ kind: 'node-added', node: value })
const changed = (old: Node, value: Node): ClusterEvent => ({ kind: 'node-changed', old, node: value })
const waiting = (spec: Partial<PodSpec> = {}): Pod => pod('p', {}, spec)
const withPort = (hostPort: number, hostIP?: string): Partial<PodSpec> => ({
  containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort, ...(hostIP !== undefined && { hostIP }) }] }],
})
const left = (spec: Partial<PodSpec>): ClusterEvent => ({ kind: 'pod-left', pod: boundPod('other', 'n', {}, spec) })

const onSsd = waiting({ nodeSelector: { disk: 'ssd' } })
const ssd = nodeWith({ disk: 'ssd' })
const hdd = nodeWith({ disk: 'hdd' })
const cordoned = nodeWith({}, { unschedulable: true })
const tainted = (...keys: readonly string[]): Node =>
  nodeWith({}, { taints: keys.map((key) => ({ key, effect: 'NoSchedule' })) })
const tolerant = waiting({ tolerations: [{ key: 'x', operator: 'Exists' }] })

test.for<{ it: string; hint: QueueingHint; of?: Pod; event: ClusterEvent; helps: boolean }>([
  { it: 'affinity: a matching node is added', hint: nodeAffinityHint, of: onSsd, event: added(ssd), helps: true },
  { it: 'affinity: another node is added', hint: nodeAffinityHint, of: onSsd, event: added(hdd), helps: false },
  { it: 'affinity: a node matches now', hint: nodeAffinityHint, of: onSsd, event: changed(hdd, ssd), helps: true },
  {
    it: 'affinity: a node matches no longer',
    hint: nodeAffinityHint,
    of: onSsd,
    event: changed(ssd, hdd),
    helps: false,
  },
  {
    it: 'affinity: a matching node changes',
    hint: nodeAffinityHint,
    of: onSsd,
    event: changed(ssd, nodeWith({ disk: 'ssd', x: 'y' })),
    helps: false,
  },
  { it: 'affinity of the arguments: any label changes', hint: nodeAffinityHint, event: changed(ssd, hdd), helps: true },
  { it: 'taints: a node without taints is added', hint: taintTolerationHint, event: added(ssd), helps: true },
  { it: 'taints: a node with a taint is added', hint: taintTolerationHint, event: added(tainted('x')), helps: false },
  {
    it: 'taints: a node with a tolerated taint is added',
    hint: taintTolerationHint,
    of: tolerant,
    event: added(tainted('x')),
    helps: true,
  },
  { it: 'taints: the last taint goes', hint: taintTolerationHint, event: changed(tainted('x'), ssd), helps: true },
  {
    it: 'taints: one of two goes',
    hint: taintTolerationHint,
    event: changed(tainted('x', 'y'), tainted('y')),
    helps: false,
  },
  {
    it: 'taints: a tolerated one remains',
    hint: taintTolerationHint,
    of: tolerant,
    event: changed(tainted('x', 'y'), tainted('x')),
    helps: true,
  },
  {
    it: 'taints: a tolerated one goes',
    hint: taintTolerationHint,
    of: tolerant,
    event: changed(tainted('x'), ssd),
    helps: false,
  },
  { it: 'taints: a node is uncordoned', hint: taintTolerationHint, event: changed(cordoned, nodeWith()), helps: false },
  {
    it: 'cordon: a node is uncordoned',
    hint: nodeUnschedulableHint,
    event: changed(cordoned, nodeWith()),
    helps: true,
  },
  { it: 'cordon: a node is cordoned', hint: nodeUnschedulableHint, event: changed(nodeWith(), cordoned), helps: false },
  { it: 'cordon: a taint goes', hint: nodeUnschedulableHint, event: changed(tainted('x'), nodeWith()), helps: false },
  { it: 'cordon: a node is added', hint: nodeUnschedulableHint, event: added(nodeWith()), helps: true },
  { it: 'cordon: a cordoned node is added', hint: nodeUnschedulableHint, event: added(cordoned), helps: false },
  {
    it: 'ports: a pod with the port leaves',
    hint: nodePortsHint,
    of: waiting(withPort(80)),
    event: left(withPort(80)),
    helps: true,
  },
  {
    it: 'ports: a pod with another port leaves',
    hint: nodePortsHint,
    of: waiting(withPort(80)),
    event: left(withPort(90)),
    helps: false,
  },
  {
    it: 'ports: a pod with the port on another address leaves',
    hint: nodePortsHint,
    of: waiting(withPort(80, '127.0.0.1')),
    event: left(withPort(80, '127.0.0.2')),
    helps: false,
  },
  {
    it: 'ports: a pod without ports leaves',
    hint: nodePortsHint,
    of: waiting(withPort(80)),
    event: left({}),
    helps: false,
  },
  { it: 'ports: a node is added', hint: nodePortsHint, of: waiting(withPort(80)), event: added(cordoned), helps: true },
])('$it: helps $helps', ({ hint, of = waiting(), event, helps }) => {
  expect(hint(of, event)).toBe(helps)
})
