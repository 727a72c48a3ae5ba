import type {
  Candidates,
  DecideContext,
  DecidePlugin,
  FilterOutput,
  InsufficientResource,
  Pod,
  PreFilterResult,
  PreScoreResult,
  StatusCode,
} from '@berth/types'
import type { EventTopic } from './event-topic.ts'
import type { RoomDemand } from './room-demand.ts'
import type { ClusterTable } from '../state/cluster-table.ts'

/** Context of the hooks: the public one, with the engine's own table as `cluster`. */
export interface EngineContext extends DecideContext {
  readonly cluster: ClusterTable
}

/** Output of the engine's own filters. */
export interface EngineFilterOutput extends FilterOutput {
  /** Rejects with a list of reasons that many candidates may share. */
  rejectShared(i: number, code: StatusCode, reasons: readonly string[]): void
  /** Returns an id for a list of reasons, valid during this call: see {@link EngineFilterOutput.rejectRegistered}. */
  registerReasons(reasons: readonly string[]): number
  /** Rejects with a list of reasons that was registered before. */
  rejectRegistered(i: number, code: StatusCode, reasonsId: number): void
}

/**
 * A built-in plugin. It may read columns of the cluster table and has hooks that contributed plugins do not have. Rows
 * passed to `addPod` and `removePod` are rows of the context's table.
 */
export interface EnginePlugin extends DecidePlugin {
  preFilter?(pod: Pod, candidates: Candidates, context: EngineContext): PreFilterResult
  filter?(pod: Pod, candidates: Candidates, output: EngineFilterOutput, context: EngineContext): void
  preScore?(pod: Pod, candidates: Candidates, context: EngineContext): PreScoreResult
  score?(pod: Pod, candidates: Candidates, scores: Float64Array, context: EngineContext): void
  normalizeScore?(pod: Pod, candidates: Candidates, scores: Float64Array, context: EngineContext): void
  /**
   * Returns the normalized score, 0 to 100, if every node of the cluster has the same one. Then `score` and
   * `normalizeScore` do not run. Returns undefined otherwise.
   */
  uniformScore?(pod: Pod, context: EngineContext): number | undefined
  /**
   * Returns a key for the scores of this pod: pods with the same key have the same score on a node whose allocatable and
   * requested amounts are the same. The framework then caches the scores by row. Only for a plugin whose scores depend on
   * nothing else, such as the other candidates, and that has no `normalizeScore`.
   */
  scoreShape?(pod: Pod): string
  /**
   * Whether a node that passes the filter still passes after pods have been removed from it. Preemption then knows
   * without a dry run that a later filter decides.
   */
  readonly passesAfterRemovals?: boolean
  /**
   * Filters rows that this filter rejected, as if no pod of a lower priority than the pod's were on them. Leaves rows
   * that it would pass, and rows that it cannot judge, as Success; preemption judges these in a dry run.
   */
  filterWithoutVictims?(pod: Pod, candidates: Candidates, output: EngineFilterOutput, context: EngineContext): void
  /** Updates what preFilter computed for one more pod on a row. */
  addPod?(pod: Pod, added: Pod, row: number, context: EngineContext): void
  /** Updates what preFilter computed for one pod less on a row. */
  removePod?(pod: Pod, removed: Pod, row: number, context: EngineContext): void
  /**
   * Filters without recording reasons (the fast path). Writes the rows that pass, in order, to the start of `target`,
   * which may be the array of the candidates, and returns their number. When all pass it need not write them.
   */
  filterRows?(pod: Pod, candidates: Candidates, target: Int32Array, context: EngineContext): number
  /** Returns rows outside of which its filter rejects every node, ascending; undefined when it has no such index. */
  shortlist?(pod: Pod, context: EngineContext): Int32Array | undefined
  /**
   * Returns topics that cover every event which may help a pod that the plugin rejected, besides more room on a node
   * (see {@link EnginePlugin.roomDemand}). Absent: the queueing hint is asked about every event.
   */
  eventTopics?(pod: Pod): readonly EventTopic[]
  /**
   * Returns what must be free on a node for the filter to pass there. Then, besides {@link EnginePlugin.eventTopics},
   * only an event after which a node has that much room may help the pod.
   */
  roomDemand?(pod: Pod): RoomDemand
  /**
   * Returns a function that explains why the filter rejects a row: one sentence for each label, taint, term, port or
   * volume in the way. The sentences do not name the node, so that nodes with the same causes can share them. Empty when
   * the filter would pass the row, or when its reason says as much.
   */
  causes?(pod: Pod, cluster: ClusterTable): (row: number) => readonly string[]
  /** Returns the amounts behind a rejection of the row. */
  shortages?(pod: Pod, row: number, context: EngineContext): readonly InsufficientResource[]
}
