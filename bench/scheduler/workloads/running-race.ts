import type { ApiClient } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import type { StoredEntry } from '../race-cluster.ts'

/** A race in progress, as a workload sees it. */
export interface RunningRace {
  readonly client: ApiClient
  /** The pods by `namespace/name`, mirrored by a watch. */
  readonly pods: ReadonlyMap<string, Pod>
  /** Writes objects to etcd directly. */
  seed(entries: Iterable<StoredEntry>): Promise<void>
  /** Waits for a condition. Throws Error when the scheduler exits or the time limit of the race expires. */
  until(what: string, isDone: () => boolean): Promise<void>
  /** Waits until the scheduler uses almost no CPU time. Throws as {@link RunningRace.until} does. */
  untilIdle(): Promise<void>
  /** Starts the measured time of a workload that is timed from its release. */
  start(): void
  /** Sets the time at which a pod counts as created, by `performance.now()`. Default: when the watch shows it without gates. */
  setCreated(name: string, atMs: number): void
}
