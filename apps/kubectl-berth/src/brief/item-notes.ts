import { isExtendedResourceName, podRequest } from '@berth/resources'
import type { KubernetesObject, Pod } from '@berth/types'
import { pendingReason } from './pending-reason.ts'

interface Condition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
}

/** Conditions of workloads that are a problem with this status. */
const problems: ReadonlyMap<string, string> = new Map([
  ['Available', 'False'],
  ['Progressing', 'False'],
  ['ReplicaFailure', 'True'],
  ['Failed', 'True'],
  ['FailureTarget', 'True'],
])

/**
 * Returns the lines below an object: for a pod the extended resources that it requests and holds, and why it is pending;
 * for another object the conditions that are a problem.
 */
export function itemNotes(object: KubernetesObject): readonly string[] {
  return object.kind === 'Pod' ? podNotes(object as Pod) : conditionNotes(object)
}

/** Returns the extended resources that a pod requests and holds, and why it is not scheduled, in one line. */
export function podNotes(pod: Pod): readonly string[] {
  const held = heldUnits(pod)
  const asks = [...podRequest(pod).scalar]
    .filter(([name, units]) => isExtendedResourceName(name) && units > 0n)
    .map(([name, units]) => `${name}: ${units}${heldText(held.get(name))}`)
    .toSorted()
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  return [
    ...(asks.length > 0 ? [`requests ${asks.join(', ')}`] : []),
    ...(unscheduled?.message === undefined ? [] : [pendingReason(unscheduled.message)]),
    ...(unscheduled === undefined && isUnscheduled(pod) ? ['no scheduler has reported on it'] : []),
  ]
}

/** Whether a pod waits for a node. */
export function isUnscheduled({ spec, status }: Pod): boolean {
  const { phase = 'Pending', conditions = [] } = status ?? {}
  const isReported = conditions.some(({ type, status: state }) => type === 'PodScheduled' && state === 'False')
  return isReported || (phase === 'Pending' && (spec.nodeName ?? '') === '')
}

/** Devices that a pod holds, and how many of them are not healthy. */
interface HeldUnits {
  readonly count: number
  readonly unhealthy: number
}

function heldText(held: HeldUnits | undefined): string {
  if (held === undefined) return ''
  return ` (holds ${held.count}${held.unhealthy > 0 ? `, ${held.unhealthy} unhealthy` : ''})`
}

/** Returns the devices in the status of the containers; empty where the kubelet does not report them. */
function heldUnits({ status }: Pod): ReadonlyMap<string, HeldUnits> {
  const held = new Map<string, HeldUnits>()
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  for (const { name, resources = [] } of statuses.flatMap((one) => one.allocatedResourcesStatus ?? [])) {
    const before = held.get(name) ?? { count: 0, unhealthy: 0 }
    const unhealthy = resources.filter(({ health }) => health === 'Unhealthy').length
    held.set(name, { count: before.count + resources.length, unhealthy: before.unhealthy + unhealthy })
  }
  return held
}

function conditionNotes(object: KubernetesObject): readonly string[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } }
  if (!Array.isArray(status?.conditions)) return []
  return (status.conditions as readonly Condition[])
    .filter((condition) => problems.get(condition?.type ?? '') === condition?.status)
    .map(({ type, status: state, reason, message }) => {
      const why = [reason, message].filter((part) => part !== undefined && part !== '').join(': ')
      return `${type} is ${state}${why === '' ? '' : `: ${why}`}`.replaceAll(/\s+/gu, ' ')
    })
}
