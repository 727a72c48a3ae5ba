import type { ApiClient, Reflector } from '@berth/k8s-client'
import type { Clock, Logger, Node, Random, Timer } from '@berth/types'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import { createNodeQueue } from './write/node-queue.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import { bringNode, type Wanted } from './write/reconcile-node.ts'
import { missingNodes } from './reconcile-all-nodes.ts'
import type { SourceReadings } from './sources/source-readings.ts'
import { createWritePace } from './write/write-backoff.ts'

/** Nodes written at the same time. */
const CONCURRENCY = 8
/** Every node is compared again this often, for answers that grew old meanwhile. Comparing costs no request. */
const RESYNC_MS = 60_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 60_000

/** What is wanted, with the answers that its sources give. */
export interface Setup {
  readonly wanted: Wanted
  readonly readings: SourceReadings
}

/** Keeps every node at what is wanted for as long as it lives. */
export interface Advertiser extends AsyncDisposable {
  /** Whether every node that was there at the start has been worked on once. */
  isReady(): boolean
  /** Goes on with another configuration: what is no longer wanted is taken back. */
  replace(setup: Setup): void
  /** Resolves when no node is being worked on and none is due. */
  settled(): Promise<void>
}

/** Starts to keep nodes at what is wanted; `nodes` must keep `metadata.managedFields` of the kubelet. */
export function startAdvertiser(options: {
  readonly client: ApiClient
  readonly nodes: Reflector<Node>
  readonly setup: Setup
  readonly reporter: NodeReporter
  readonly metrics: AdvertiserMetrics
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
}): Advertiser {
  const { client, nodes, reporter, metrics, log, clock, random } = options
  const stop = new AbortController()
  const pace = createWritePace()
  const failures = new Map<string, number>()
  const timers = new Map<object, Timer>()
  const unseen = new Set<string>()
  let current = options.setup
  let hasListed = false

  const queue = createNodeQueue({ work, concurrency: CONCURRENCY, clock })

  async function work(nodeName: string): Promise<void> {
    const node = nodes.store.get(nodeName)
    if (node === undefined || stop.signal.aborted) return
    try {
      const { wanted } = current
      const result = await bringNode(node, { client, wanted, reporter, metrics, log, clock, pace, signal: stop.signal })
      failures.delete(nodeName)
      unseen.delete(nodeName)
      if (result.retryAfterMs !== undefined) queue.add(nodeName, result.retryAfterMs)
    } catch (err) {
      if (stop.signal.aborted) return
      const count = (failures.get(nodeName) ?? 0) + 1
      failures.set(nodeName, count)
      metrics.failed()
      const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (count - 1), LONGEST_RETRY_MS) * (0.75 + random() / 2)
      log.warn({ node: nodeName, err, attempt: count, delayMs }, 'Could not bring a node to what is declared')
      queue.add(nodeName, delayMs)
    }
  }

  function every(key: object, intervalMs: number, task: () => Promise<void> | void): void {
    const again = (): void => {
      timers.set(
        key,
        clock.setTimer(intervalMs, () => {
          void Promise.resolve(task()).finally(() => {
            if (!stop.signal.aborted && timers.has(key)) again()
          })
        }),
      )
    }
    again()
  }

  async function ask(setup: Setup, from: Iterable<Node>): Promise<void> {
    const all = [...from]
    await Promise.all(
      setup.wanted.declarations.map(async (declaration) => {
        const changed = await setup.readings.refresh(declaration, all, stop.signal)
        if (setup === current) for (const name of changed) queue.add(name)
      }),
    )
  }

  function begin(setup: Setup): void {
    for (const timer of timers.values()) timer.cancel()
    timers.clear()
    current = setup
    for (const declaration of setup.wanted.declarations) {
      const { amount } = declaration
      if (amount.kind !== 'source') continue
      every(declaration, amount.everyMs, async () => {
        const changed = await setup.readings.refresh(declaration, nodes.store.values(), stop.signal)
        if (setup === current) for (const name of changed) queue.add(name)
      })
    }
    every({}, RESYNC_MS, () => addAll())
    if (!hasListed) return
    sayMissing()
    void ask(setup, nodes.store.values())
    addAll()
  }

  function addAll(): void {
    metrics.sources(current.wanted.declarations, current.readings)
    for (const name of nodes.store.keys()) queue.add(name)
  }

  function sayMissing(): void {
    for (const node of missingNodes(current.wanted, nodes.store.values())) {
      log.warn({ node }, 'A node that the configuration names does not exist (yet)')
    }
  }

  begin(options.setup)
  const unsubscribe = nodes.subscribe({
    onAdd(node) {
      const name = node.metadata.name ?? ''
      if (!hasListed) unseen.add(name)
      void ask(current, [node])
      queue.add(name)
    },
    onUpdate: (_, node) => queue.add(node.metadata.name ?? ''),
    onDelete(node) {
      const name = node.metadata.name ?? ''
      unseen.delete(name)
      failures.delete(name)
      pace.forget(name)
      reporter.gone(name)
    },
    onSynced() {
      hasListed = true
      sayMissing()
    },
  })

  return {
    isReady: () => hasListed && unseen.size === 0,
    replace: begin,
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
