import type { EventInput } from '@berth/k8s-client'
import type { Instruments } from '@berth/process/metrics'
import { errorText } from '@berth/text/error-text'
import type { Logger, Pod } from '@berth/types'
import type { evictionMetricDefinitions } from '../metrics.ts'
import type { DuePod } from './unhealthy-pods.ts'

/** Result of an attempt to evict a pod. */
export type EvictionResult =
  | { readonly kind: 'evicted' }
  /** In dry run: the eviction would succeed. */
  | { readonly kind: 'would-evict' }
  | { readonly kind: 'blocked'; readonly message: string; readonly retryMs: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly retryMs: number }
  | { readonly kind: 'exempt'; readonly reason: string }

/** Reasons of events. */
const EVENT_REASONS: Readonly<Record<EvictionResult['kind'], string>> = {
  evicted: 'EvictedFromUnhealthyDevice',
  'would-evict': 'WouldEvictFromUnhealthyDevice',
  blocked: 'EvictionBlocked',
  failed: 'EvictionFailed',
  exempt: 'UnhealthyDevice',
}

/** Reports an attempt through the log, an event on the pod, and metrics. */
export type ReportEviction = (due: DuePod, result: EvictionResult, nowMs: number) => void

/** Creates a reporter. */
export function createEvictionReporter(options: {
  readonly log: Logger
  readonly metrics: Pick<Instruments<typeof evictionMetricDefinitions>, 'evictions'>
  readonly recordEvent: (event: EventInput) => void
  readonly mayWrite: () => boolean
}): ReportEviction {
  const { log, metrics, recordEvent, mayWrite } = options
  return ({ pod, device }, result, nowMs) => {
    const { resourceName, id, sinceMs } = device
    const { kind } = result
    const { namespace = '', name = '' } = pod.metadata
    const node = pod.spec.nodeName ?? ''
    metrics.evictions.inc({ resource_name: resourceName, result: kind })
    const seconds = Math.floor((nowMs - sinceMs) / 1_000)
    const note = `device ${id} of ${resourceName} on node ${node} has been Unhealthy for at least ${seconds} s: ${outcome(result)}`
    const fields = { pod: `${namespace}/${name}`, node, resourceName, deviceId: id, reason: note }
    if (kind === 'evicted') log.info(fields, 'Evicted a pod from an unhealthy device')
    else if (kind === 'would-evict') log.info(fields, 'Dry run: would evict a pod from an unhealthy device')
    else log.warn(fields, 'Did not evict a pod from an unhealthy device')
    recordEvent({
      regarding: podReference(pod),
      type: kind === 'would-evict' ? 'Normal' : 'Warning',
      reason: EVENT_REASONS[kind],
      action: 'Evicting',
      note,
      mayStart: mayWrite,
    })
  }
}

function outcome(result: EvictionResult): string {
  switch (result.kind) {
    case 'evicted':
      return 'the pod is evicted, so that its controller starts it elsewhere'
    case 'would-evict':
      return 'the pod would be evicted (dry run)'
    case 'blocked':
      return `the eviction is not allowed now (${result.message}); next attempt in ${seconds(result.retryMs)} s`
    case 'failed':
      return `the eviction failed (${errorText(result.error)}); next attempt in ${seconds(result.retryMs)} s`
    case 'exempt':
      return `the pod is not evicted, because ${result.reason}`
  }
}

const seconds = (ms: number): number => Math.ceil(ms / 1_000)

function podReference({ metadata: { name, namespace, uid } }: Pod): EventInput['regarding'] {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
  }
}
