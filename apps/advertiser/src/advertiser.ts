import { backoffMs, jitter } from '@berth/clock'
import type { ApiClient, Reflector } from '@berth/k8s-client'
import type { Clock, Logger, Node, Random, Timer } from '@berth/types'
import type { Setup } from './config/setup.ts'
import type { DeviceClasses } from './device-classes/device-classes.ts'
import { findUnmatched } from './plan/find-unmatched.ts'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import { createNodeQueue } from './write/node-queue.ts'
import { reconcileNode } from './write/reconcile-node.ts'
import { createZeroJanitor } from './write/zero-janitor.ts'
import { createWritePacing } from './write/write-pacing.ts'

/** Maximum number of nodes that are written at the same time. */
const CONCURRENCY = 8
/** Interval at which every node is compared again, because source values expire. Comparing costs no request. */
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

/** Starts to reconcile nodes. `nodes` must keep the `metadata.managedFields` of the kubelet. */
export function startAdvertiser(options: {
  readonly client: ApiClient
  readonly nodes: Reflector<Node>
  readonly setup: Setup
  readonly deviceClasses: DeviceClasses
  /** Returns whether this process may still write. */
  readonly mayWrite: () => boolean
  readonly reporter: NodeReporter
  readonly metrics: AdvertiserMetrics
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
}): Advertiser {
  const { client, nodes, deviceClasses, mayWrite, reporter, metrics, log, clock, random } = options
  const stop = new AbortController()
  const { signal } = stop
  const pacing = createWritePacing()
  const janitor = createZeroJanitor()
  const failures = new Map<string, number>()
  const timers = new Map<object, Timer>()
  const unreconciled = new Set<string>()
  let current = options.setup
  let hasListed = false
  let unmatched: ReadonlySet<string> = new Set()

  const queue = createNodeQueue({ work: reconcile, concurrency: CONCURRENCY, clock })

  async function reconcile(nodeName: string): Promise<void> {
    const node = nodes.store.get(nodeName)
    if (node === undefined || signal.aborted) return
    try {
      const { desired } = current
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
        mayWrite,
        signal,
      })
      failures.delete(nodeName)
      if (!result.isPending) unreconciled.delete(nodeName)
      janitor.recordCleared(nodeName, result.cleared, clock.monotonic())
      if (zeros.nextMs !== undefined) queue.add(nodeName, zeros.nextMs)
      if (result.retryAfterMs !== undefined) queue.add(nodeName, result.retryAfterMs)
    } catch (err) {
      if (signal.aborted) return
      const attempt = (failures.get(nodeName) ?? 0) + 1
      failures.set(nodeName, attempt)
      metrics.failed()
      const delayMs = jitter(backoffMs(attempt, RETRY_LIMITS), 0.25, random)
      log.warn({ node: nodeName, err, attempt, delayMs }, 'Could not reconcile a node')
      queue.add(nodeName, delayMs)
    }
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

  async function refreshSources(setup: Setup, from: Iterable<Node>): Promise<void> {
    const all = [...from]
    await Promise.all(
      setup.desired.declarations.map(async (declaration) => {
        const changed = await setup.readings.refresh(declaration, all, signal)
        if (setup === current) for (const name of changed) queue.add(name)
      }),
    )
  }

  function applySetup(setup: Setup): void {
    for (const timer of timers.values()) timer.cancel()
    timers.clear()
    current = setup
    for (const declaration of setup.desired.declarations) {
      const { amount } = declaration
      if (amount.kind !== 'source') continue
      repeat(declaration, amount.everyMs, async () => {
        const changed = await setup.readings.refresh(declaration, nodes.store.values(), signal)
        if (setup === current) for (const name of changed) queue.add(name)
      })
    }
    repeat({}, RESYNC_MS, async () => {
      // Without a response, the names of the last read stay.
      await deviceClasses.refresh(signal).catch(() => undefined)
      enqueueAll()
    })
    unmatched = new Set()
    if (!hasListed) return
    void refreshSources(setup, nodes.store.values())
    enqueueAll()
  }

  function enqueueAll(): void {
    metrics.sources(current.desired.declarations, current.readings)
    reportUnmatched()
    for (const name of nodes.store.keys()) queue.add(name)
  }

  function reportUnmatched(): void {
    const now = new Set(findUnmatched(current.desired.declarations, nodes.store.values()))
    for (const reason of now) if (!unmatched.has(reason)) log.warn({ reason }, 'A declaration has no node')
    for (const reason of unmatched) if (!now.has(reason)) log.info({ reason }, 'A declaration has a node now')
    unmatched = now
    metrics.unmatched(now)
  }

  applySetup(options.setup)
  const unsubscribe = nodes.subscribe({
    onAdd(node) {
      const name = node.metadata.name ?? ''
      if (!hasListed) unreconciled.add(name)
      void refreshSources(current, [node])
      queue.add(name)
    },
    onUpdate: (_, node) => queue.add(node.metadata.name ?? ''),
    onDelete(node) {
      const name = node.metadata.name ?? ''
      unreconciled.delete(name)
      failures.delete(name)
      pacing.forget(name)
      janitor.forget(name)
      current.readings.forget(name)
      reporter.deleted(name)
    },
    onSynced() {
      hasListed = true
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
