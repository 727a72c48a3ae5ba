import type { Clock, ExtenderBindingResult, ExtenderFilterResult, Pod } from '@berth/types'
import { sleep } from '@berth/clock'

/** Options of {@link runKubeScheduler}. */
export interface KubeSchedulerOptions {
  readonly pods: readonly Pod[]
  readonly nodeNames: readonly string[]
  /** HOST:PORT of the extender that is called now. */
  readonly address: () => string
  /** Returns whether the pod is bound, as kube-scheduler's watch shows it before it retries the pod. */
  readonly isBound: (pod: Pod) => boolean
  /** Called after each successful bind with the number of them. */
  readonly onBound?: (count: number) => void
  readonly clock: Clock
}

/** The outcome of all pods, as kube-scheduler believes it at the end. */
export interface KubeSchedulerResult {
  readonly bound: number
  readonly unschedulable: number
  /** Binds that were answered with an error, and calls without a response. */
  readonly failures: number
}

const BACKOFF_MS = 1_000
/** Binds in flight; kube-scheduler has no limit. */
const MAX_BINDS = 50

/**
 * Drives the extender protocol like kube-scheduler v1.36 does for a resource that it ignores: filter calls one after the
 * other, the first feasible node, a concurrent bind, and a retry after each failure. Ends when every pod is bound or was
 * rejected by a filter call that was made after the last bind.
 */
export async function runKubeScheduler(options: KubeSchedulerOptions): Promise<KubeSchedulerResult> {
  const { nodeNames, address, isBound, onBound, clock } = options
  const active = [...options.pods]
  const parked: Pod[] = []
  const binds = new Set<Promise<void>>()
  const retries: Promise<void>[] = []
  let bound = 0
  let failures = 0
  let boundWhenParked = -1

  const failed = async (pod: Pod): Promise<void> => {
    failures += 1
    await sleep(clock, BACKOFF_MS)
    if (isBound(pod)) bound += 1
    else active.push(pod)
  }
  const headers = { 'content-type': 'application/json' }
  const call = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`http://${address()}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.json()
  }
  const bind = async (pod: Pod, node: string): Promise<void> => {
    const { name, namespace, uid } = pod.metadata
    const body = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node }
    const result = (await call('/bind', body).catch(() => ({ Error: 'no response' }))) as ExtenderBindingResult
    if ((result.Error ?? '') !== '') {
      // The backoff does not count as a bind in flight.
      retries.push(failed(pod))
      return
    }
    bound += 1
    onBound?.(bound)
  }
  const attempt = async (pod: Pod): Promise<void> => {
    const body = { Pod: pod, Nodes: null, NodeNames: nodeNames }
    const result = (await call('/filter', body).catch(() => ({ Error: 'no response' }))) as ExtenderFilterResult
    if ((result.Error ?? '') !== '') {
      retries.push(failed(pod))
      return
    }
    const [node] = result.NodeNames ?? []
    if (node === undefined) {
      parked.push(pod)
      return
    }
    const binding = bind(pod, node).finally(() => binds.delete(binding))
    binds.add(binding)
    if (binds.size >= MAX_BINDS) await Promise.race(binds)
  }

  for (;;) {
    const pod = active.shift()
    if (pod !== undefined) await attempt(pod)
    else if (binds.size > 0) await Promise.race(binds)
    else if (retries.length > 0) await retries.pop()
    else if (parked.length > 0 && boundWhenParked !== bound) {
      // Each bound pod is a cluster event that requeues the parked pods.
      boundWhenParked = bound
      active.push(...parked.splice(0))
    } else return { bound, unschedulable: parked.length, failures }
  }
}
