import type { Clock } from '@berth/types'
import { type ApiObject, isReady, readyCondition, stringAt } from '@berth/embedded-api-server'

/** Returns whether a pod counts as a replica: it is neither finished nor being deleted. */
export function isActive(pod: ApiObject): boolean {
  const phase = stringAt(pod, 'status', 'phase')
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined
}

/** Returns whether the pod's phase is final. */
export function isFinished(pod: ApiObject): boolean {
  const phase = stringAt(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed'
}

/** Returns the milliseconds until a pod has been ready for `minReadySeconds`; undefined while it is not ready. */
export function msUntilAvailable(pod: ApiObject, minReadySeconds: number, clock: Clock): number | undefined {
  const condition = readyCondition(pod)
  if (condition === undefined || minReadySeconds === 0) return condition === undefined ? undefined : 0
  const sinceMs = Date.parse(stringAt(condition, 'lastTransitionTime'))
  return Number.isNaN(sinceMs) ? undefined : Math.max(0, sinceMs + minReadySeconds * 1000 - clock.now())
}

/**
 * Counts the available pods. `nextMs` is the number of milliseconds until the next one becomes available; undefined
 * when no ready pod waits for its `minReadySeconds`.
 */
export function availability(
  pods: readonly ApiObject[],
  minReadySeconds: number,
  clock: Clock,
): { readonly count: number; readonly nextMs: number | undefined } {
  const waits = pods.map((pod) => msUntilAvailable(pod, minReadySeconds, clock)).filter((wait) => wait !== undefined)
  const pending = waits.filter((wait) => wait > 0)
  return { count: waits.length - pending.length, nextMs: pending.length === 0 ? undefined : Math.min(...pending) }
}

/** Orders pods for deletion: first unassigned, then not running, then not ready ones; the youngest first. */
export function byDeletionOrder(a: ApiObject, b: ApiObject): number {
  return (
    rank(a) - rank(b) || Date.parse(b.metadata.creationTimestamp ?? '') - Date.parse(a.metadata.creationTimestamp ?? '')
  )
}

function rank(pod: ApiObject): number {
  if (stringAt(pod, 'spec', 'nodeName') === '') return 0
  if (stringAt(pod, 'status', 'phase') !== 'Running') return 1
  return isReady(pod) ? 3 : 2
}
