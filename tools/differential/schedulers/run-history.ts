import { isBound } from '@berth/resources'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorText } from '@berth/text/error-text'
import type { History } from './history.ts'
import type { HistoryCluster } from './history-cluster.ts'
import type { SchedulerProcess } from './scheduler-process.ts'
import { waitForRest } from './wait-for-rest.ts'

/** Names of the pods after a step. Pods that were deleted, also as victims of preemption, are in neither list. */
export interface StepOutcome {
  readonly placed: readonly string[]
  readonly pending: readonly string[]
}

/** The pods after each step of a history. */
export type Outcome = readonly StepOutcome[]

/**
 * Both schedulers order pods whose backoff ends within the same second of the wall clock by priority
 * (`backoffQOrderingWindowDuration` in pkg/scheduler/backend/queue/backoff_queue.go), and end backoffs at whole seconds.
 */
const ORDERING_WINDOW_MS = 1_000
/** The part of a window in which steps begin. The rest is time to come to rest before the window ends. */
const STEPS_BEGIN_MS = { from: 50, until: 600 }

/** A scheduler on its own cluster. */
export interface Contestant {
  readonly cluster: HistoryCluster
  readonly scheduler: SchedulerProcess
}

/**
 * Clears the clusters and applies the steps, each after every scheduler is at rest. Each cluster keeps its final state.
 *
 * The schedulers take each step together, because the order in which they retry pods depends on the time since the last
 * attempts (the backoff): a faster scheduler, left alone, would have other pods in backoff at the next step. Steps begin early in
 * an ordering window: otherwise some attempts of one step would fall into one window and some into the next.
 *
 * @returns One outcome per contestant.
 * @throws Error that names the seed and the step when a scheduler exits or does not come to rest.
 */
export async function runHistory(contestants: readonly Contestant[], history: History): Promise<readonly Outcome[]> {
  const atRest = async (changed: { readonly nodes: boolean }): Promise<void> => {
    await Promise.all(contestants.map(({ cluster, scheduler }) => waitForRest(cluster, scheduler, changed)))
  }
  const outcomes = contestants.map((): StepOutcome[] => [])
  try {
    for (const { cluster } of contestants) await cluster.clear()
    await atRest({ nodes: true })
    for (const step of history.steps) {
      await untilEarlyInWindow()
      await Promise.all(
        contestants.map(async ({ cluster }) => {
          for (const change of step) await cluster.apply(change)
        }),
      )
      await atRest({ nodes: step.some((change) => change.in === 'nodes') })
      for (const [index, { cluster }] of contestants.entries()) outcomes[index]?.push(outcomeOf(cluster))
    }
  } catch (cause) {
    throw new Error(`seed ${history.seed}, step ${outcomes[0]?.length ?? 0}: ${errorText(cause)}`, { cause })
  }
  return outcomes
}

async function untilEarlyInWindow(): Promise<void> {
  const sinceStartMs = Date.now() % ORDERING_WINDOW_MS
  if (sinceStartMs >= STEPS_BEGIN_MS.from && sinceStartMs <= STEPS_BEGIN_MS.until) return
  const sinceFromMs = (sinceStartMs - STEPS_BEGIN_MS.from + ORDERING_WINDOW_MS) % ORDERING_WINDOW_MS
  await sleep(ORDERING_WINDOW_MS - sinceFromMs)
}

function outcomeOf(cluster: HistoryCluster): StepOutcome {
  const names = (isPending: boolean): readonly string[] =>
    cluster
      .pods()
      .filter((pod) => isBound(pod) !== isPending)
      .map(({ metadata }) => metadata.name)
  return { placed: names(false), pending: names(true) }
}
