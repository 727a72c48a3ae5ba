import { backoffMs, jitter } from '@berth/clock'
import type { ApiClient, Reflector } from '@berth/k8s-client'
import type { Clock, Logger, Node, Random, Timer } from '@berth/types'
import type { Setup } from './config/setup.ts'
import type { DeviceClasses } from './device-classes/device-classes.ts'
import type { Declaration } from './plan/declaration.ts'
import { findUnmatched } from './plan/find-unmatched.ts'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import { CONCURRENCY } from './write/concurrency.ts'
import { createLoweringChecks } from './write/lowering-checks.ts'
import { createNodeQueue } from './write/node-queue.ts'
import type { NodeResults } from './write/node-results.ts'
import { reconcileNode } from './write/reconcile-node.ts'
import { createZeroJanitor } from './write/zero-janitor.ts'
import { createWritePacing } from './write/write-pacing.ts'

/** Interval at which DeviceClasses are read again, and at which nodes are compared again because source values expire. */
const RESYNC_MS = 60_000
const RETRY_LIMITS = { initialMs: 1_000, maxMs: 60_000 }

/** Keeps all nodes at the desired state until it is disposed. */
export interface Advertiser extends AsyncDisposable {
  /** Reports whether every node of the first list has been reconciled once. */
  isReady(): boolean
  /** Switches to another configuration. Resources that it no longer declares are withdrawn. */
  reconfigure(setup: Setup): void
  /** Resolves when no node is due or being reconciled. */
  settled(): Promise<void>
}

/** Options of {@link startAdvertiser}. */
export interface AdvertiserOptions {
  readonly client: ApiClient
  /** Must keep the `metadata.managedFields` of the kubelet. */
  readonly nodes: Reflector<Node>
  readonly setup: Setup
  readonly deviceClasses: DeviceClasses
  /** Returns whether this process may still write. */
  readonly mayWrite: () => boolean
  readonly reporter: NodeReporter
  /** Default: results are only reported. */
  readonly results?: NodeResults
  readonly metrics: AdvertiserMetrics
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
  /** Called after the first list, and once its nodes are reconciled: afterwards, little runs that would free their memory. */
  readonly collectGarbage?: () => void
}

/** Starts to reconcile nodes. */
export function startAdvertiser(options: AdvertiserOptions): Advertiser {
  const { client, nodes, deviceClasses, mayWrite, reporter, results, metrics, log, clock, random } = options
  const stop = new AbortController()
  const { signal } = stop
  const pacing = createWritePacing()
  const loweringChecks = createLoweringChecks()
  const janitor = createZeroJanitor()
  const failures = new Map<string, number>()
  /** By declaration; `resync` is the timer of all nodes. */
  const timers = new Map<object, Timer>()
  const resync = {}
  const unreconciled = new Set<string>()
  let current = options.setup
  let hasListed = false
  let unmatched: ReadonlySet<string> = new Set()

  const queue = createNodeQueue({ work: reconcile, concurrency: CONCURRENCY, clock })

  async function reconcile(nodeName: string): Promise<void> {
    const node = nodes.store.get(nodeName)
    if (node === undefined || signal.aborted) return
    const setup = current
    try {
      const { desired } = setup
      const zeros = janitor.inspect(node, desired.staleZeros, clock.monotonic())
      for (const finding of zeros.findings) reporter.zeroFinding(nodeName, finding)
      const result = await reconcileNode(node, {
        client,
        desired,
        clear: zeros.due,
        reporter,
        metrics,
        clock,
        pacing,
        loweringChecks,
        mayWrite,
        signal,
      })
      failures.delete(nodeName)
      if (!result.isPending) markReconciled(nodeName)
      if (result.plan !== undefined) results?.reconciled(nodeName, setup, result.plan)
      janitor.recordCleared(nodeName, result.cleared, clock.monotonic())
      if (zeros.nextMs !== undefined) queue.add(nodeName, zeros.nextMs)
      if (result.retryAfterMs !== undefined) queue.add(nodeName, result.retryAfterMs)
    } catch (err) {
      if (signal.aborted) return
      const attempt = (failures.get(nodeName) ?? 0) + 1
      failures.set(nodeName, attempt)
      metrics.failed()
      results?.failed(nodeName, setup, err)
      const delayMs = jitter(backoffMs(attempt, RETRY_LIMITS), 0.25, random)
      log.warn({ node: nodeName, err, attempt, delayMs }, 'Could not reconcile a node')
      queue.add(nodeName, delayMs)
    }
  }

  function markReconciled(nodeName: string): void {
    if (unreconciled.delete(nodeName) && unreconciled.size === 0 && hasListed) options.collectGarbage?.()
  }

  function repeat(key: object, intervalMs: number, task: () => Promise<void> | void): void {
    const schedule = (): void => {
      timers.set(
        key,
        clock.setTimer(intervalMs, () => {
          void Promise.resolve(task()).finally(() => {
            if (!signal.aborted && timers.has(key)) schedule()
          })
        }),
      )
    }
    schedule()
  }

  async function refreshSource(declaration: Declaration, from: Iterable<Node>): Promise<void> {
    for (const name of await current.readings.refresh(declaration, from, signal)) queue.add(name)
  }

  function applySetup(setup: Setup): void {
    const { declarations } = setup.desired
    current = setup
    // The timers of declarations that stay go on, so that frequent changes of others do not delay their queries.
    const kept = new Set<object>([resync, ...declarations])
    for (const [key, timer] of timers) {
      if (kept.has(key)) continue
      timer.cancel()
      timers.delete(key)
    }
    for (const declaration of declarations) {
      const { amount } = declaration
      if (amount.kind !== 'source' || timers.has(declaration)) continue
      repeat(declaration, amount.everyMs, () => refreshSource(declaration, nodes.store.values()))
      if (hasListed) void refreshSource(declaration, nodes.store.values())
    }
    if (hasListed) enqueueAll()
  }

  function enqueueAll(): void {
    metrics.sources(current.desired.declarations, current.readings)
    reportUnmatched()
    for (const name of nodes.store.keys()) queue.add(name)
  }

  function reportUnmatched(): void {
    const now = new Set(findUnmatched(current.desired, nodes.store.values()))
    for (const reason of now) if (!unmatched.has(reason)) log.warn({ reason }, 'A declaration has no node')
    for (const reason of unmatched) if (!now.has(reason)) log.info({ reason }, 'A declaration has a node now')
    unmatched = now
    metrics.unmatched(now)
  }

  repeat(resync, RESYNC_MS, async () => {
    // Without a response, the names of the last read stay.
    const hasChanged = await deviceClasses.refresh(signal).catch(() => false)
    const { declarations } = current.desired
    // Everything else that changes a plan queues its nodes itself.
    if (hasChanged || declarations.some(({ amount }) => amount.kind === 'source')) enqueueAll()
    else reportUnmatched()
  })
  applySetup(options.setup)
  const unsubscribe = nodes.subscribe({
    onAdd(node) {
      const name = node.metadata.name ?? ''
      if (!hasListed) unreconciled.add(name)
      for (const declaration of current.desired.declarations) void refreshSource(declaration, [node])
      queue.add(name)
    },
    onUpdate: (_, node) => queue.add(node.metadata.name ?? ''),
    onDelete(node) {
      const name = node.metadata.name ?? ''
      unreconciled.delete(name)
      failures.delete(name)
      pacing.forget(name)
      loweringChecks.forget(name)
      janitor.forget(name)
      current.readings.forget(name)
      reporter.deleted(name)
      results?.deleted(name)
    },
    onSynced() {
      hasListed = true
      options.collectGarbage?.()
      reportUnmatched()
    },
  })

  return {
    isReady: () => hasListed && unreconciled.size === 0,
    reconfigure: applySetup,
    settled: () => queue.settled(),
    async [Symbol.asyncDispose]() {
      unsubscribe()
      stop.abort()
      for (const timer of timers.values()) timer.cancel()
      timers.clear()
      await queue.close()
    },
  }
}
