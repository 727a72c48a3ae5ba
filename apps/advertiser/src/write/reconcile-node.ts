import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { Clock, Node } from '@berth/types'
import { planFor, type DesiredState } from '../plan/desired-state.ts'
import type { Change, NodePlan } from '../plan/node-plan.ts'
import type { AdvertiserMetrics } from '../report/advertiser-metrics.ts'
import type { NodeReporter } from '../report/node-reporter.ts'
import { applyPlan, type ApplyOutcome } from './apply-plan.ts'
import type { LoweringChecks } from './lowering-checks.ts'
import { planAboveUse } from './plan-above-use.ts'
import type { WritePacing } from './write-pacing.ts'

/** After this many identical writes in a row, a warning reports that another writer undoes them. */
const CONTESTED_REPEATS = 3
/** Interval at which the pods of a node are read again while they hold more than its desired units, milliseconds. */
const HELD_RECHECK_MS = 15_000
/** Interval at which a node is planned again after its pods could not be listed, or a source had no value, milliseconds. */
const UNKNOWN_RECHECK_MS = 60_000

/** The state of a node after one reconciliation. */
export interface ReconcileResult {
  /** True if Berth advertises exactly the declared resources on the node. */
  readonly isComplete: boolean
  /** True if the source of a declared resource has not answered yet. */
  readonly isPending: boolean
  /** Resources that were removed because a device plugin had left them at 0. */
  readonly cleared: readonly string[]
  /** The plan that the node matches now, except for what it leaves out; undefined if the node was deleted. */
  readonly plan: NodePlan | undefined
  /** Delay until the node must be reconciled again, milliseconds. */
  readonly retryAfterMs?: number
}

/** Options of {@link reconcileNode}. */
export interface ReconcileOptions {
  readonly client: ApiClient
  readonly desired: DesiredState
  /** Resources to remove if a device plugin left them at 0. Default: none. */
  readonly clear?: ReadonlySet<string>
  /** Lower resources also below what running pods hold. Default: false. */
  readonly ignoreUse?: boolean
  readonly reporter: NodeReporter
  readonly metrics: AdvertiserMetrics
  readonly clock: Clock
  /** Omit to write without delay. */
  readonly pacing?: WritePacing
  /** Omit to check a lowering only once, right after the write. */
  readonly loweringChecks?: LoweringChecks
  /** Returns whether this process may still write. */
  readonly mayWrite?: () => boolean
  readonly signal?: AbortSignal
}

/**
 * Brings one node to the desired state and reports the changes.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_CONTENDED
 * @throws Errors of the client when a call fails.
 */
export async function reconcileNode(node: Node, options: ReconcileOptions): Promise<ReconcileResult> {
  const { client, desired, clear, ignoreUse, reporter, metrics, clock, pacing, loweringChecks, mayWrite, signal } =
    options
  const nodeName = node.metadata.name ?? ''
  const call = signal === undefined ? {} : { signal }
  let delaysMs: number[] = []

  const mustWait = (change: Change): boolean => {
    const delayMs = pacing?.changeDelayMs(nodeName, change, clock.monotonic()) ?? 0
    if (delayMs > 0) delaysMs.push(delayMs)
    return delayMs > 0
  }
  const plan = async (current: Node, lowerings: ReadonlyMap<string, bigint>): Promise<NodePlan> => {
    delaysMs = []
    const planOptions = { nowMs: clock.now(), mustWait, ...(clear !== undefined && { clear }) }
    const planned =
      ignoreUse === true
        ? planFor(desired, current, planOptions)
        : await planAboveUse(current, { client, desired, lowerings, ...planOptions, ...call })
    if (planned.patch === undefined || planned.changes.length > 0) return planned
    const recordDelayMs = pacing?.recordDelayMs(nodeName, clock.monotonic()) ?? 0
    if (recordDelayMs === 0) return planned
    delaysMs.push(recordDelayMs)
    return { ...planned, patch: undefined }
  }
  /** The former units of the resources that this call lowers, also by a write whose response was lost. */
  const lowered = new Map<string, bigint>()
  const noteLowering = (planned: NodePlan): NodePlan => {
    if (planned.patch === undefined) return planned
    loweringChecks?.lowering(planned, clock.monotonic())
    for (const [name, { from }] of planned.lowered) lowered.set(name, from)
    return planned
  }
  const apply = async (current: Node, lowerings: ReadonlyMap<string, bigint>): Promise<ApplyOutcome> => {
    const outcome = await applyPlan(current, {
      client,
      planFor: async (fresh) => noteLowering(await plan(fresh, lowerings)),
      onRetry: () => metrics.retried(),
      ...(mayWrite !== undefined && { mayWrite }),
      ...call,
    })
    if (outcome.kind !== 'deleted') reporter.conflicts(current, outcome.plan.conflicts)
    if (outcome.kind !== 'written') return outcome
    reporter.changed(outcome.before, outcome.plan)
    const repeats = pacing?.recordWrite(outcome.plan, clock.monotonic()) ?? new Map<string, number>()
    for (const [resourceName, count] of repeats) {
      if (count === CONTESTED_REPEATS) reporter.contested(current, { resourceName, repeats: count })
    }
    return outcome
  }
  /** Raises what pods took that were bound between the read of the pods and the write. */
  const checkLowering = async (outcome: ApplyOutcome): Promise<ApplyOutcome> => {
    if (outcome.kind === 'deleted' || lowered.size === 0 || ignoreUse === true) return outcome
    // Once the resources are adopted, a plan for adoption has nothing to say about them.
    if (desired.adopt !== undefined) return outcome
    const fresh = await client.find<Node>(resourceRefs.nodes, { name: nodeName }, call)
    return fresh === undefined ? { kind: 'deleted' } : await apply(fresh, new Map(lowered))
  }

  const due = loweringChecks?.due(nodeName, clock.monotonic()) ?? new Map<string, bigint>()
  const written = await apply(node, due)
  const outcome = await checkLowering(written)
  if (outcome.kind === 'deleted') {
    pacing?.forget(nodeName)
    loweringChecks?.forget(nodeName)
    reporter.deleted(nodeName)
    return { isComplete: true, isPending: false, cleared: [], plan: undefined }
  }
  const { conflicts, owned, pending } = outcome.plan
  loweringChecks?.checked(nodeName, due.keys(), withoutUse(outcome.plan), clock.monotonic())
  metrics.advertised(nodeName, owned)
  if (conflicts.some(({ kind }) => kind === 'held')) delaysMs.push(HELD_RECHECK_MS)
  if (conflicts.some(({ kind }) => kind === 'unknown')) delaysMs.push(UNKNOWN_RECHECK_MS)
  const isComplete = conflicts.length === 0 && delaysMs.length === 0 && pending.length === 0
  const nextCheckMs = loweringChecks?.nextMs(nodeName, clock.monotonic())
  if (nextCheckMs !== undefined) delaysMs.push(nextCheckMs)
  return {
    isComplete,
    isPending: pending.length > 0,
    cleared: written.kind === 'written' ? clearedNames(written.plan) : [],
    plan: outcome.plan,
    ...(delaysMs.length > 0 && { retryAfterMs: Math.min(...delaysMs) }),
  }
}

/** Returns the resources for which the plan was made without what pods hold, or was not made. */
function withoutUse({ conflicts, pending, delayed }: NodePlan): ReadonlySet<string> {
  const unknown = conflicts.flatMap((conflict) => (conflict.kind === 'unknown' ? [conflict.resourceName] : []))
  return new Set([...unknown, ...pending, ...delayed])
}

function clearedNames({ changes }: NodePlan): readonly string[] {
  return changes.filter(({ kind }) => kind === 'clear').map(({ resourceName }) => resourceName)
}
