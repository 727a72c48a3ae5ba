import type { ApiClient } from '@berth/k8s-client'
import type { Clock, Logger, Node } from '@berth/types'
import { planFor, type DesiredState } from '../plan/desired-state.ts'
import { findLoweredResources, findShortfalls } from '../plan/find-shortfalls.ts'
import type { AdvertiserMetrics } from '../report/advertiser-metrics.ts'
import type { NodeReporter } from '../report/node-reporter.ts'
import { applyPlan } from './apply-plan.ts'
import { listPodsOnNode } from './list-pods-on-node.ts'
import type { WriteBackoff } from './write-backoff.ts'

/** After this many identical writes in a row, a warning reports that another writer undoes them. */
const CONTESTED_REPEATS = 3

/** The state of a node after one reconciliation. */
export interface ReconcileResult {
  /** True if Berth advertises exactly the declared resources on the node. */
  readonly isComplete: boolean
  /** Delay until the write is allowed, milliseconds. */
  readonly retryAfterMs?: number
}

/**
 * Brings one node to the desired state and reports the changes.
 *
 * @param options.backoff - Omit to write without delay.
 * @throws AdvertiseError BERTH_ADVERTISER_CONTENDED
 * @throws Errors of the client when a call fails.
 */
export async function reconcileNode(
  node: Node,
  options: {
    readonly client: ApiClient
    readonly desired: DesiredState
    readonly reporter: NodeReporter
    readonly metrics: AdvertiserMetrics
    readonly log: Logger
    readonly clock: Clock
    readonly backoff?: WriteBackoff
    readonly signal?: AbortSignal
  },
): Promise<ReconcileResult> {
  const { client, desired, reporter, metrics, log, clock, backoff, signal } = options
  const nodeName = node.metadata.name ?? ''
  const outcome = await applyPlan(node, {
    client,
    planFor: (current) => planFor(desired, current),
    writeDelayMs: (plan) => backoff?.delayMs(plan, clock.monotonic()) ?? 0,
    onRetry: () => metrics.retried(),
    ...(signal !== undefined && { signal }),
  })
  if (outcome.kind === 'deleted') {
    backoff?.forget(nodeName)
    reporter.deleted(nodeName)
    return { isComplete: true }
  }
  const { plan } = outcome
  reporter.conflicts(node, plan.conflicts)
  if (outcome.kind === 'delayed') return { isComplete: false, retryAfterMs: outcome.delayMs }
  metrics.advertised(nodeName, plan.owned)
  const isComplete = plan.conflicts.length === 0
  if (outcome.kind === 'unchanged') return { isComplete }

  reporter.changed(outcome.before, plan)
  backoff?.recordWrite(plan, clock.monotonic())
  if (backoff?.repeats(nodeName) === CONTESTED_REPEATS) reporter.contested(node, CONTESTED_REPEATS)
  const lowered = findLoweredResources(plan)
  if (lowered.size > 0) {
    try {
      const pods = await listPodsOnNode(client, nodeName, signal)
      for (const shortfall of findShortfalls(lowered, pods)) reporter.shortfall(node, shortfall)
    } catch (err) {
      log.warn({ node: nodeName, err }, 'Could not check whether running pods use more than the new amount')
    }
  }
  return { isComplete }
}
