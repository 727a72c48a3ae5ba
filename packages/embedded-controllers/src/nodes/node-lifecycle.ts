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
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { lifecycleTaints } from './lifecycle-taints.ts'
import { readyStatus, withUnknownConditions } from './node-conditions.ts'

const LEASES = 'coordination.k8s.io/leases'
const NAMESPACE = 'kube-node-lease'

/** Period of the node checks. */
const MONITOR_PERIOD_MS = 5_000
/** Time without a heartbeat after which a node is unreachable. */
const GRACE_MS = 50_000
/** The same for a node that never sent a heartbeat. */
const STARTUP_GRACE_MS = 60_000

interface Health {
  /** Time of the last heartbeat. */
  readonly lastSeenMs: number
  /** Whether the last check already found the heartbeat overdue. */
  readonly isLate: boolean
}

/**
 * Sets the conditions of nodes that renew neither their Lease nor their status to Unknown, and keeps the taints that
 * follow from conditions. Checks an overdue node once more than upstream, so that a clock that jumps over many renewals
 * does not make the node unreachable. Zones and eviction rates are not implemented.
 *
 * @see kubernetes/kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go (v1.36)
 */
export function nodeLifecycleController({ context, writer }: ControllerDependencies): Controller {
  const nodes = context.store.collection('/nodes')
  const pods = context.store.collection('/pods')
  const healthByNode = new Map<string, Health>()
  return {
    name: 'node-life-cycle',
    storages: ['/nodes', LEASES],
    keysFor(storage, { key, type, object, previous }) {
      const isRenewal = storage === LEASES && type !== 'DELETED' && object.metadata.namespace === NAMESPACE
      if (isRenewal && nodes.get(object.metadata.name ?? '') !== undefined) recordHeartbeat(object.metadata.name ?? '')
      if (storage !== '/nodes') return []
      if (type === 'DELETED') healthByNode.delete(key)
      else if (heartbeatOf(object) !== heartbeatOf(previous)) recordHeartbeat(key)
      const isSame =
        type === 'MODIFIED' &&
        equalJson(object['spec'], previous?.['spec']) &&
        equalJson(valueAt(object, 'status', 'conditions'), valueAt(previous, 'status', 'conditions'))
      return isSame ? [] : [key]
    },
    reconcile(name, requeueAfter) {
      const node = nodes.get(name)
      if (node === undefined) return
      const health = healthByNode.get(name) ?? recordHeartbeat(name)
      const graceMs = readyStatus(node) === '' ? STARTUP_GRACE_MS : GRACE_MS
      const silentMs = context.clock.monotonic() - health.lastSeenMs
      if (silentMs > graceMs && health.isLate) markUnknown(node)
      else if (silentMs > graceMs) healthByNode.set(name, { ...health, isLate: true })
      const current = nodes.get(name)
      if (current !== undefined) syncTaints(current)
      const leftMs = graceMs + 1 - silentMs
      requeueAfter(Math.ceil(Math.max(1, leftMs) / MONITOR_PERIOD_MS) * MONITOR_PERIOD_MS)
    },
  }

  function recordHeartbeat(name: string): Health {
    const health = { lastSeenMs: context.clock.monotonic(), isLate: false }
    healthByNode.set(name, health)
    return health
  }

  function markUnknown(node: ApiObject): void {
    const wasReady = readyStatus(node) === 'True'
    const conditions = withUnknownConditions(node, timestamp(context.clock))
    const status = { ...(valueAt(node, 'status') as object), conditions }
    writer.updateStatus('/nodes', node, status)
    if (wasReady) markPodsNotReady(node.metadata.name ?? '')
  }

  /** Marks the pods of an unreachable node as not ready. */
  function markPodsNotReady(name: string): void {
    for (const pod of pods.list()) {
      if (stringAt(pod, 'spec', 'nodeName') !== name) continue
      const conditions = listAt(pod, 'status', 'conditions').map((each) =>
        stringAt(each, 'type') === 'Ready' && stringAt(each, 'status') === 'True'
          ? { ...(each as object), status: 'False', lastTransitionTime: timestamp(context.clock) }
          : each,
      )
      writer.updateStatus('/pods', pod, { ...(valueAt(pod, 'status') as object), conditions })
    }
  }

  function syncTaints(node: ApiObject): void {
    const present = listAt(node, 'spec', 'taints')
    const desired = lifecycleTaints(node, timestamp(context.clock))
    if (equalJson(present, desired)) return
    const taints = desired.length === 0 ? undefined : desired
    writer.update('/nodes', node, withField(node, 'spec', withValueAt({ s: node['spec'] }, ['s', 'taints'], taints).s))
  }
}

/** Returns what changes with every status report of the kubelet, and with a new node of the same name. */
function heartbeatOf(node: ApiObject | undefined): string {
  const ready = listAt(node, 'status', 'conditions').find((each) => stringAt(each, 'type') === 'Ready')
  return `${node?.metadata.uid} ${stringAt(ready, 'lastHeartbeatTime')}`
}
