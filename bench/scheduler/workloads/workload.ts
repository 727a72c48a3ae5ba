import type { Pod } from '@berth/types'
import type { StoredEntry } from '../race-cluster.ts'
import type { RunningRace } from './running-race.ts'

/** The numbers of nodes and of measured pods. */
export interface WorkloadSize {
  readonly nodes: number
  readonly pods: number
}

/** A cluster, and pods that a scheduler must bind on it. */
export interface Workload extends WorkloadSize {
  /** Describes the pods, for example `with one extended resource each`. */
  readonly description: string
  /** Generates the objects that exist before the scheduler starts. */
  objects(): Iterable<StoredEntry>
  /** Creates or releases the measured pods while the scheduler runs. Default: they wait from the beginning. */
  readonly release?: (race: RunningRace) => Promise<void>
  /** Whether the measured time starts at {@link RunningRace.start} instead of the first bind. Default: false. */
  readonly isTimedFromRelease?: boolean
  /**
   * Checks the final state of the pods, in addition to what every race checks.
   *
   * @throws WrongResultError when it is wrong.
   */
  readonly check?: (pods: readonly Pod[]) => void
}
