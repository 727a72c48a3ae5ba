import { createBackoff, sleep } from '@berth/clock'
import type { Cluster } from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import { printableLine } from '@berth/text/printable'
import type { Clock, Random } from '@berth/types'
import { missingSentences } from '../../capacity/missing-sentences.ts'
import type { UiFeed } from '../feed.ts'
import { createClusterTable } from '../cluster/cluster-table.ts'
import { buildUiModel } from '../model/build-ui-model.ts'
import { createHistory } from '../model/history.ts'
import { createNotifier } from '../model/notifier.ts'
import { applyObserved, type ObservedChange } from '../cluster/observed-change.ts'
import type { UiModel } from '../model/ui-model.ts'
import { readableScope } from './readable-scope.ts'
import { type ClusterWatch, watchCluster } from './watch-cluster.ts'

/** A cluster to follow. */
export interface LiveFeedOptions {
  readonly cluster: Pick<Cluster, 'client' | 'reflect'>
  readonly clock: Clock
  readonly random: Random
  /** The namespace whose pods are counted where those of all namespaces may not be listed. */
  readonly namespace: string
  /** Called with every change, also with each object that was there at the start. */
  readonly onChange?: (change: ObservedChange) => void
}

/** Time in which changes are collected into one step. */
export const STEP_MS = 500
/** Time for which the cluster is watched on after the last page has gone: for a reload, or a network that changes. */
export const LINGER_MS = 60_000

/** Follows a cluster by watches while it is used. The timeline begins with the first use. */
export function liveFeed(options: LiveFeedOptions): UiFeed & AsyncDisposable {
  const { clock } = options
  const changed = createNotifier()
  let session: Session | undefined
  let users = 0
  let linger: ReturnType<Clock['setTimer']> | undefined
  let isDisposed = false
  const closing = new Set<PromiseLike<void>>()
  const close = (): void => {
    if (session === undefined) return
    closing.add(session[Symbol.asyncDispose]())
    session = undefined
  }

  return {
    kind: 'live',
    use() {
      linger?.cancel()
      users++
      session ??= startSession(options, () => changed.notify())
      let isUsed = true
      return {
        [Symbol.dispose]() {
          if (!isUsed) return
          isUsed = false
          if (--users === 0 && !isDisposed) linger = clock.setTimer(LINGER_MS, close)
        },
      }
    },
    latest: () => session?.latest(),
    at: (timeMs) => session?.at(timeMs),
    pointsAfter: (sequence) => session?.history.after(sequence) ?? { points: [], sequence: 0 },
    problem: () => session?.problem(),
    subscribe: (listener) => changed.subscribe(listener),
    async [Symbol.asyncDispose]() {
      isDisposed = true
      linger?.cancel()
      close()
      await Promise.all(closing)
    },
  }
}

interface Session extends AsyncDisposable {
  readonly history: ReturnType<typeof createHistory>
  latest(): UiModel | undefined
  at(timeMs: number): UiModel | undefined
  problem(): string | undefined
}

function startSession(options: LiveFeedOptions, notify: () => void): Session {
  const { cluster, clock, random, namespace } = options
  const stopping = new AbortController()
  const table = createClusterTable()
  const history = createHistory()
  let notes: readonly string[] = []
  let latest: UiModel | undefined
  let failure: string | undefined
  let watch: ClusterWatch | undefined
  let timer: ReturnType<Clock['setTimer']> | undefined

  const step = (): void => {
    timer = undefined
    const taken = table.takeStep(clock.now())
    if (taken === undefined) return
    history.add(taken)
    const moment = history.latest()
    latest = moment === undefined ? undefined : buildUiModel(moment, notes)
    notify()
  }
  const onChange = (change: ObservedChange): void => {
    applyObserved(table, change)
    options.onChange?.(change)
    if (latest !== undefined) timer ??= clock.setTimer(STEP_MS, step)
  }
  const run = async (): Promise<void> => {
    const { signal } = stopping
    const backoff = createBackoff({ initialMs: 1_000, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000, clock, random })
    for (;;) {
      try {
        const scope = await readableScope(cluster.client, namespace, signal)
        notes = missingSentences(scope.forbidden, namespace).map(printableLine)
        watch = watchCluster(cluster, { scope, namespace }, onChange)
        failure = undefined
        await watch.waitForSync(signal)
        return step()
      } catch (error) {
        if (signal.aborted) return
        failure = errorText(error)
        notify()
        await sleep(clock, backoff.next(), signal)
      }
    }
  }
  const running = run().catch(() => undefined)

  return {
    history,
    latest: () => latest,
    at(timeMs) {
      const moment = history.at(timeMs)
      return moment === undefined ? undefined : buildUiModel(moment, notes)
    },
    problem() {
      const problem = failure ?? watch?.problem()
      return problem === undefined ? undefined : printableLine(problem)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      timer?.cancel()
      await running
      await watch?.[Symbol.asyncDispose]()
    },
  }
}
