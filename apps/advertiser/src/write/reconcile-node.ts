import type { ApiClient } from '@berth/k8s-client'
import type { Clock, Logger, Node } from '@berth/types'
import { applyPlan } from './apply-plan.ts'
import type { Declaration } from '../plan/declaration.ts'
import { desiredUnits, type SourceReading } from '../plan/desired-units.ts'
import { loweredNames, podsOnNode, shortfalls } from '../plan/find-shortfalls.ts'
import type { AdvertiserMetrics } from '../report/advertiser-metrics.ts'
import type { NodeReporter } from '../report/node-reporter.ts'
import { planNode, type NodePlan } from '../plan/plan-node.ts'
import type { WritePace } from './write-backoff.ts'

/** At this many equal writes in a row somebody is told that another writer fights back. */
const CONTESTED_REPEATS = 3

/** What is wanted of all nodes; replaced as a whole when the configuration changes. */
export interface Wanted {
  readonly declarations: readonly Declaration[]
  readonly readSource: SourceReading
  /** Take over names that a node offers already and that Berth did not write. */
  readonly adopt: boolean
}

/** How a node stands after it was worked on. */
export interface NodeResult {
  /** Everything declared is there, and nothing else of Berth's. */
  readonly isComplete: boolean
  /** The write waits for this long, milliseconds. */
  readonly retryAfterMs?: number
}

/** The plan for one node. */
export function planFor(wanted: Wanted, node: Node): NodePlan {
  return planNode(node, desiredUnits(wanted.declarations, node, wanted.readSource), { adopt: wanted.adopt })
}

/**
 * Brings one node to what is wanted, and reports it.
 *
 * @param options.pace - Absent: every write is made at once.
 * @throws AdvertiseError BERTH_ADVERTISER_CONTENDED; what the client throws when a call fails.
 */
export async function bringNode(
  node: Node,
  options: {
    readonly client: ApiClient
    readonly wanted: Wanted
    readonly reporter: NodeReporter
    readonly metrics: AdvertiserMetrics
    readonly log: Logger
    readonly clock: Clock
    readonly pace?: WritePace
    readonly signal?: AbortSignal
  },
): Promise<NodeResult> {
  const { client, wanted, reporter, metrics, log, clock, pace, signal } = options
  const nodeName = node.metadata.name ?? ''
  const outcome = await applyPlan(node, {
    client,
    planFor: (current) => planFor(wanted, current),
    holdMs: (plan) => pace?.delayMs(plan, clock.monotonic()) ?? 0,
    onRetry: () => metrics.retried(),
    ...(signal !== undefined && { signal }),
  })
  if (outcome.kind === 'gone') {
    pace?.forget(nodeName)
    reporter.gone(nodeName)
    return { isComplete: true }
  }
  const { plan } = outcome
  reporter.conflicts(node, plan.conflicts)
  if (outcome.kind !== 'held') metrics.advertised(nodeName, plan.owned)
  const isComplete = plan.conflicts.length === 0
  if (outcome.kind === 'held') return { isComplete: false, retryAfterMs: outcome.delayMs }
  if (outcome.kind === 'unchanged') return { isComplete }

  reporter.wrote(outcome.before, plan)
  pace?.wrote(plan, clock.monotonic())
  if (pace?.repeats(nodeName) === CONTESTED_REPEATS) reporter.contested(node, CONTESTED_REPEATS)
  const lowered = loweredNames(plan)
  if (lowered.size > 0) {
    try {
      const pods = await podsOnNode(client, nodeName, signal)
      for (const shortfall of shortfalls(lowered, pods)) reporter.shortfall(node, shortfall)
    } catch (err) {
      log.warn({ node: nodeName, err }, 'Could not see whether running pods use more than is left')
    }
  }
  return { isComplete }
}
