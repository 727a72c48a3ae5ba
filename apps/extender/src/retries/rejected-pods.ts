import type { Clock, Pod, Timer } from '@berth/types'
import type { NodesRequest } from '../extender-args.ts'

/** Dependencies of {@link createRejectedPods}. */
export interface RejectedPodsOptions {
  /** Returns whether the pod fits on one of the nodes now. Throws when it cannot be evaluated. */
  readonly fits: (request: NodesRequest) => boolean
  /** Returns whether the pod is still unbound. Undefined if the cluster view does not contain it yet. */
  readonly isPending: (pod: Pod) => boolean | undefined
  /** Calls the listener after each cluster change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
  /** Makes kube-scheduler retry the pods that the extender rejected. */
  readonly requestRetry: (pod: Pod) => void
  readonly clock: Clock
}

/** The pods that fitted on no node when kube-scheduler asked last. */
export interface RejectedPods extends Disposable {
  /** Remembers that the pod fits on none of the nodes. */
  add(request: NodesRequest): void
  /** Forgets the pod, because a node was returned for it. */
  delete(pod: Pod): void
}

/** kube-scheduler usually retries within this time after a change, milliseconds. */
const GRACE_MS = 1_000
/** Time between two evaluations, milliseconds. One evaluation with 5,000 nodes takes about 1 ms. */
const SPACING_MS = 30
/** A view that is older than this refuses all pods by default, milliseconds. */
const KEEP_MS = 120_000
/** Pods without a common controller that are remembered. The oldest is forgotten for a newer one. */
const MAX_PODS = 32

interface Entry {
  readonly request: NodesRequest
  readonly rejectedAtMs: number
  /** Monotonic time at which the pod is evaluated again; undefined without a change since its rejection. */
  dueMs: number | undefined
}

/**
 * Finds rejections that the cluster view outdated. kube-scheduler retries a pod when it sees a change, such as the deletion
 * of another pod. If the view shows that change only after the retry, the pod is rejected again, and kube-scheduler
 * has no reason for another retry until it flushes its queue after 5 min. So each rejected pod is evaluated again after the
 * next change of the view, and a retry is requested if it fits. Of the pods of one controller, only the last is remembered.
 */
export function createRejectedPods(options: RejectedPodsOptions): RejectedPods {
  const { fits, isPending, subscribe, requestRetry, clock } = options
  const entries = new Map<string, Entry>()
  let timer: Timer | undefined

  const isOutdated = ({ request }: Entry): boolean => {
    try {
      return fits(request)
    } catch {
      // The next call about this pod reports why.
      return false
    }
  }

  const evaluate = (key: string, entry: Entry): void => {
    entry.dueMs = undefined
    const pending = isPending(entry.request.pod)
    const isExpired = clock.monotonic() - entry.rejectedAtMs > KEEP_MS
    if (pending === false || isExpired) return void entries.delete(key)
    if (pending === undefined || !isOutdated(entry)) return
    entries.delete(key)
    requestRetry(entry.request.pod)
  }

  const evaluateNext = (): void => {
    timer = undefined
    const next = firstDue(entries)
    if (next !== undefined && next.dueMs <= clock.monotonic()) evaluate(next.key, next.entry)
    schedule()
  }

  const schedule = (): void => {
    if (timer !== undefined) return
    const dueMs = firstDue(entries)?.dueMs
    if (dueMs !== undefined) timer = clock.setTimer(Math.max(SPACING_MS, dueMs - clock.monotonic()), evaluateNext)
  }

  const unsubscribe = subscribe(() => {
    const dueMs = clock.monotonic() + GRACE_MS
    for (const entry of entries.values()) entry.dueMs ??= dueMs
    schedule()
  })

  return {
    add(request) {
      const key = groupOf(request.pod)
      entries.delete(key)
      entries.set(key, { request, rejectedAtMs: clock.monotonic(), dueMs: undefined })
      const [oldest] = entries.keys()
      if (entries.size > MAX_PODS && oldest !== undefined) entries.delete(oldest)
    },
    delete: (pod) => void entries.delete(groupOf(pod)),
    [Symbol.dispose]() {
      unsubscribe()
      timer?.cancel()
      entries.clear()
    },
  }
}

/** Pods of one controller request the same, and kube-scheduler retries all rejected pods together. */
function groupOf({ metadata }: Pod): string {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true)
  return controller?.uid ?? metadata.uid ?? `${metadata.namespace}/${metadata.name}`
}

/** An entry that waits for its evaluation. */
interface DueEntry {
  readonly key: string
  readonly entry: Entry
  readonly dueMs: number
}

function firstDue(entries: ReadonlyMap<string, Entry>): DueEntry | undefined {
  let first: DueEntry | undefined
  for (const [key, entry] of entries) {
    const { dueMs } = entry
    if (dueMs !== undefined && (first === undefined || dueMs < first.dueMs)) first = { key, entry, dueMs }
  }
  return first
}
