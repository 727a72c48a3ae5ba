import type { Clock } from '@berth/types'
import { type ApiObject, isReady, readyCondition, stringAt } from '@berth/embedded-api-server'

/** Whether a pod still counts for the workload that owns it. */
export function isActive(pod: ApiObject): boolean {
  const phase = stringAt(pod, 'status', 'phase')
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined
}

/** Whether the pod's phase is one that it never leaves. */
export function isFinished(pod: ApiObject): boolean {
  const phase = stringAt(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed'
}

/** Milliseconds until a pod has been ready for so many seconds: 0 when it has, undefined while it is not ready. */
export function untilAvailable(pod: ApiObject, minReadySeconds: number, clock: Clock): number | undefined {
  const condition = readyCondition(pod)
  if (condition === undefined || minReadySeconds === 0) return condition === undefined ? undefined : 0
  const sinceMs = Date.parse(stringAt(condition, 'lastTransitionTime'))
  return Number.isNaN(sinceMs) ? undefined : Math.max(0, sinceMs + minReadySeconds * 1000 - clock.now())
}

/** How many pods have been ready for long enough, and in how many milliseconds the next one will have been. */
export function availability(
  pods: readonly ApiObject[],
  minReadySeconds: number,
  clock: Clock,
): { readonly count: number; readonly nextMs: number | undefined } {
  const waits = pods.map((pod) => untilAvailable(pod, minReadySeconds, clock)).filter((wait) => wait !== undefined)
  const ahead = waits.filter((wait) => wait > 0)
  return { count: waits.length - ahead.length, nextMs: ahead.length === 0 ? undefined : Math.min(...ahead) }
}

/** Orders pods so that those go first whose loss costs least: unassigned, not running, not ready, then the youngest. */
export function byCostOfLoss(a: ApiObject, b: ApiObject): number {
  return (
    rank(a) - rank(b) || Date.parse(b.metadata.creationTimestamp ?? '') - Date.parse(a.metadata.creationTimestamp ?? '')
  )
}

function rank(pod: ApiObject): number {
  if (stringAt(pod, 'spec', 'nodeName') === '') return 0
  if (stringAt(pod, 'status', 'phase') !== 'Running') return 1
  return isReady(pod) ? 3 : 2
}
