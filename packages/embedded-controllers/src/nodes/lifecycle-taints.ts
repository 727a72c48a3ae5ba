import { type ApiObject, listAt, stringAt, valueAt } from '@berth/embedded-api-server'
import { readyStatus, statusOfCondition } from './node-conditions.ts'

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'

/** Conditions that taint a node while they are True, and their taint keys. */
const TAINT_BY_CONDITION = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
] as const

/** Taint keys that the node lifecycle controller owns, by effect. */
const OWN_NO_SCHEDULE = new Set<string>([
  NOT_READY,
  UNREACHABLE,
  'node.kubernetes.io/unschedulable',
  ...TAINT_BY_CONDITION.map(([, key]) => key),
])
const OWN_NO_EXECUTE = new Set<string>([NOT_READY, UNREACHABLE])

/**
 * Returns the taints that a node should have: those of other owners, and those that follow from its conditions and
 * `spec.unschedulable`.
 *
 * @see kubernetes/kubernetes pkg/controller/nodelifecycle doNoScheduleTaintingPass, processTaintBaseEviction (v1.36)
 */
export function lifecycleTaints(node: ApiObject, now: string): readonly unknown[] {
  const ready = readyStatus(node)
  const byReady = ready === 'False' ? NOT_READY : ready === 'Unknown' ? UNREACHABLE : undefined
  const noSchedule = [
    ...(byReady === undefined ? [] : [byReady]),
    ...TAINT_BY_CONDITION.filter(([type]) => statusOfCondition(node, type) === 'True').map(([, key]) => key),
    ...(valueAt(node, 'spec', 'unschedulable') === true ? ['node.kubernetes.io/unschedulable'] : []),
  ]
  const desired = [
    ...noSchedule.map((key) => ({ key, effect: 'NoSchedule', timeAdded: now })),
    ...(byReady === undefined ? [] : [{ key: byReady, effect: 'NoExecute', timeAdded: now }]),
  ]
  const id = (taint: unknown): string => `${stringAt(taint, 'key')}:${stringAt(taint, 'effect')}`
  const desiredIds = new Set(desired.map(id))
  // A node without a Ready condition keeps the not-ready taint that it was created with.
  const isSilent = ready === ''
  const kept = listAt(node, 'spec', 'taints').filter((taint) => {
    const key = stringAt(taint, 'key')
    const isOwn = (stringAt(taint, 'effect') === 'NoExecute' ? OWN_NO_EXECUTE : OWN_NO_SCHEDULE).has(key)
    return (
      !isOwn ||
      stringAt(taint, 'effect') === 'PreferNoSchedule' ||
      desiredIds.has(id(taint)) ||
      (isSilent && key === NOT_READY)
    )
  })
  const keptIds = new Set(kept.map(id))
  return [...kept, ...desired.filter((taint) => !keptIds.has(id(taint)))]
}
