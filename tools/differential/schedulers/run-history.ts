import { isBound } from '@berth/resources'
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

/** A scheduler on its own cluster. */
export interface Contestant {
  readonly cluster: HistoryCluster
  readonly scheduler: SchedulerProcess
}

/**
 * Clears the clusters and applies the steps, each after every scheduler is at rest. Each cluster keeps its final state.
 *
 * The schedulers take each step together, because the order in which they retry pods depends on the time since the last
 * attempts (the backoff): a faster scheduler, left alone, would have other pods in backoff at the next step.
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

function outcomeOf(cluster: HistoryCluster): StepOutcome {
  const names = (isPending: boolean): readonly string[] =>
    cluster
      .pods()
      .filter((pod) => isBound(pod) !== isPending)
      .map(({ metadata }) => metadata.name)
  return { placed: names(false), pending: names(true) }
}
