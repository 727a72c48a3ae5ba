import {
  type ApiObject,
  equalJson,
  listAt,
  stringAt,
  timestamp,
  valueAt,
  withField,
  withValueAt,
} from '@berth/embedded-api-server'
import type { Controller, ControllerParts } from '../loop/controller.ts'
import { lifeCycleTaints } from './life-cycle-taints.ts'
import { readyStatus, withUnknownConditions } from './node-conditions.ts'

const LEASES = 'coordination.k8s.io/leases'
const NAMESPACE = 'kube-node-lease'

/** How often nodes are looked at. */
const MONITOR_PERIOD_MS = 5_000
/** Silence after which a node counts as unreachable. */
const GRACE_MS = 50_000
/** The same for a node that never said anything. */
const STARTUP_GRACE_MS = 60_000

interface Health {
  /** When the last sign of life came. */
  readonly seenMs: number
  /** The last look found the node silent for too long. */
  readonly isLate: boolean
}

/**
 * Turns nodes to Unknown that renew neither their Lease nor their status, taints nodes by their conditions, and takes
 * the taints back. A silent node is given one look more than upstream gives it, so that a clock that jumps over many
 * renewals does not look like a dead node. Zones and the rate of tainting are not looked at.
 *
 * @see kubernetes/kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go (v1.36)
 */
export function nodeLifeCycleController({ context, client }: ControllerParts): Controller {
  const nodes = context.store.collection('/nodes')
  const pods = context.store.collection('/pods')
  const healths = new Map<string, Health>()
  return {
    name: 'node-life-cycle',
    storages: ['/nodes', LEASES],
    interest(storage, { key, type, object, previous }) {
      const isRenewal = storage === LEASES && type !== 'DELETED' && object.metadata.namespace === NAMESPACE
      if (isRenewal && nodes.get(object.metadata.name ?? '') !== undefined) note(object.metadata.name ?? '')
      if (storage !== '/nodes') return []
      if (type === 'DELETED') healths.delete(key)
      else if (heartbeatOf(object) !== heartbeatOf(previous)) note(key)
      const isSame =
        type === 'MODIFIED' &&
        equalJson(object['spec'], previous?.['spec']) &&
        equalJson(valueAt(object, 'status', 'conditions'), valueAt(previous, 'status', 'conditions'))
      return isSame ? [] : [key]
    },
    reconcile(name, again) {
      const node = nodes.get(name)
      if (node === undefined) return
      const health = healths.get(name) ?? note(name)
      const graceMs = readyStatus(node) === '' ? STARTUP_GRACE_MS : GRACE_MS
      const silentMs = context.clock.monotonic() - health.seenMs
      if (silentMs > graceMs && health.isLate) giveUp(node)
      else if (silentMs > graceMs) healths.set(name, { ...health, isLate: true })
      const current = nodes.get(name)
      if (current !== undefined) taint(current)
      const leftMs = graceMs + 1 - silentMs
      again(Math.ceil(Math.max(1, leftMs) / MONITOR_PERIOD_MS) * MONITOR_PERIOD_MS)
    },
  }

  function note(name: string): Health {
    const health = { seenMs: context.clock.monotonic(), isLate: false }
    healths.set(name, health)
    return health
  }

  function giveUp(node: ApiObject): void {
    const wasReady = readyStatus(node) === 'True'
    const conditions = withUnknownConditions(node, timestamp(context.clock))
    const status = { ...(valueAt(node, 'status') as object), conditions }
    client.updateStatus('/nodes', node, status)
    if (wasReady) markPods(node.metadata.name ?? '')
  }

  /** The pods of a node that is silent are not ready, whatever they said last. */
  function markPods(name: string): void {
    for (const pod of pods.list()) {
      if (stringAt(pod, 'spec', 'nodeName') !== name) continue
      const conditions = listAt(pod, 'status', 'conditions').map((each) =>
        stringAt(each, 'type') === 'Ready' && stringAt(each, 'status') === 'True'
          ? { ...(each as object), status: 'False', lastTransitionTime: timestamp(context.clock) }
          : each,
      )
      client.updateStatus('/pods', pod, { ...(valueAt(pod, 'status') as object), conditions })
    }
  }

  function taint(node: ApiObject): void {
    const present = listAt(node, 'spec', 'taints')
    const wanted = lifeCycleTaints(node, timestamp(context.clock))
    if (equalJson(present, wanted)) return
    const taints = wanted.length === 0 ? undefined : wanted
    client.update('/nodes', node, withField(node, 'spec', withValueAt({ s: node['spec'] }, ['s', 'taints'], taints).s))
  }
}

/** What a kubelet changes when it reports, and a new node of the same name. */
function heartbeatOf(node: ApiObject | undefined): string {
  const ready = listAt(node, 'status', 'conditions').find((each) => stringAt(each, 'type') === 'Ready')
  return `${node?.metadata.uid} ${stringAt(ready, 'lastHeartbeatTime')}`
}
