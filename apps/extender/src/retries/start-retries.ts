import { isConfigMapChange, type ClusterView } from '@berth/cluster-view'
import type { Cluster } from '@berth/k8s-client'
import { splitNamespacedName, type Clock, type Logger, type Random } from '@berth/types'
import { isBound } from '@berth/resources'
import type { Evaluator } from '../evaluator.ts'
import type { ExtenderMetrics } from '../metrics.ts'
import { createRejectedPods, type RejectedPods } from './rejected-pods.ts'
import { createRetrySignal } from './retry-signal.ts'

/** Options of {@link startRetries}. */
export interface StartRetriesOptions {
  /** The CSIStorageCapacity object, as NAMESPACE/NAME. */
  readonly retrySignal: string
  readonly cluster: Pick<Cluster, 'client'>
  readonly view: Pick<ClusterView, 'pod' | 'subscribe' | 'isSynced'>
  readonly evaluator: Pick<Evaluator, 'passes' | 'subscribe'>
  readonly metrics: Pick<ExtenderMetrics, 'retrySignals'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** The {@link RejectedPods} of a running extender. */
export type Retries = Pick<RejectedPods, 'add' | 'delete'> & AsyncDisposable

/**
 * Makes kube-scheduler retry a rejected pod when a later state of the cluster has room for it, and all of them when a
 * ConfigMap changes that a plugin reads: kube-scheduler does not watch ConfigMaps.
 */
export function startRetries(options: StartRetriesOptions): Retries {
  const { retrySignal, cluster, view, evaluator, metrics, clock, random, log } = options
  const signal = createRetrySignal({
    client: cluster.client,
    object: splitNamespacedName(retrySignal),
    onResult: (result) => metrics.retrySignals.inc({ result }),
    clock,
    random,
    log,
  })
  const pods = createRejectedPods({
    fits: evaluator.passes,
    isPending: ({ metadata }) => {
      const known = view.pod(`${metadata.namespace}/${metadata.name}`)
      return known && known.metadata.uid === metadata.uid && !isBound(known)
    },
    subscribe: evaluator.subscribe,
    requestRetry: ({ metadata }) => {
      log.debug({ pod: `${metadata.namespace}/${metadata.name}` }, 'A rejected pod fits now; kube-scheduler retries it')
      signal.request()
    },
    clock,
  })
  const unsubscribe = view.subscribe((change) => {
    // What is read at the start is not a change.
    if (isConfigMapChange(change) && view.isSynced()) signal.request()
  })
  return {
    add: (request) => pods.add(request),
    delete: (pod) => pods.delete(pod),
    async [Symbol.asyncDispose]() {
      unsubscribe()
      pods[Symbol.dispose]()
      await signal[Symbol.asyncDispose]()
    },
  }
}
