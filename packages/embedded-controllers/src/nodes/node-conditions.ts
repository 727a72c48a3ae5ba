import { type ApiObject, listAt, stringAt } from '@berth/embedded-api-server'

const HEARTBEAT_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** Returns the status of the node's Ready condition; `''` when it has none. */
export function readyStatus(node: ApiObject): string {
  return statusOfCondition(node, 'Ready')
}

/** Returns the status of the node's condition of this type; `''` when it has none. */
export function statusOfCondition(node: ApiObject, type: string): string {
  return stringAt(
    listAt(node, 'status', 'conditions').find((each) => stringAt(each, 'type') === type),
    'status',
  )
}

/**
 * Returns the conditions of a node whose kubelet stopped reporting: those that the kubelet writes become Unknown, with
 * upstream's reasons and messages, and missing ones are added. Others stay.
 */
export function withUnknownConditions(node: ApiObject, now: string): readonly unknown[] {
  const conditions = listAt(node, 'status', 'conditions')
  const known = new Set(conditions.map((each) => stringAt(each, 'type')))
  const changed = conditions.map((each) =>
    HEARTBEAT_CONDITIONS.includes(stringAt(each, 'type')) && stringAt(each, 'status') !== 'Unknown'
      ? {
          ...(each as object),
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        }
      : each,
  )
  const missing = HEARTBEAT_CONDITIONS.filter((type) => !known.has(type)).map((type) => ({
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp,
    lastTransitionTime: now,
  }))
  return [...changed, ...missing]
}
