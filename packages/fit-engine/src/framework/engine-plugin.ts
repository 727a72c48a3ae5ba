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
import type { ClusterTable } from '../state/cluster-table.ts'

/** What the framework hands to the hooks: the public context, with the engine's own table behind `cluster`. */
export interface EngineContext extends DecideContext {
  readonly cluster: ClusterTable
}

/** Where the engine's own filters write. */
export interface EngineFilterOutput extends FilterOutput {
  /** As `reject`, with a list of reasons that many candidates may share. */
  rejectShared(i: number, code: StatusCode, reasons: readonly string[]): void
  /** The number of a list of reasons during this call, for {@link EngineFilterOutput.rejectListed}. */
  listed(reasons: readonly string[]): number
  /** As `rejectShared`, for a list that was numbered before. */
  rejectListed(i: number, code: StatusCode, list: number): void
}

/**
 * A plugin of the engine itself: it may read columns and has hooks that only make sense beside the framework.
 * Rows that `addPod` and `removePod` name are those of the context's table.
 */
export interface EnginePlugin extends DecidePlugin {
  preFilter?(pod: Pod, candidates: Candidates, context: EngineContext): PreFilterResult
  filter?(pod: Pod, candidates: Candidates, output: EngineFilterOutput, context: EngineContext): void
  preScore?(pod: Pod, candidates: Candidates, context: EngineContext): PreScoreResult
  score?(pod: Pod, candidates: Candidates, scores: Float64Array, context: EngineContext): void
  normalizeScore?(pod: Pod, candidates: Candidates, scores: Float64Array, context: EngineContext): void
  /** Corrects what preFilter computed for one more pod on a row. */
  addPod?(pod: Pod, added: Pod, row: number, context: EngineContext): void
  /** Corrects what preFilter computed for one pod less on a row. */
  removePod?(pod: Pod, removed: Pod, row: number, context: EngineContext): void
  /**
   * As `filter`, where nobody asks why: says how many candidates pass and writes their rows, in order, into the first
   * places of `target`, which may be the array of the candidates. When all pass, `target` need not be written.
   */
  keep?(pod: Pod, candidates: Candidates, target: Int32Array, context: EngineContext): number
  /** Rows outside of which its filter is sure to reject, ascending; undefined: it knows no short cut. */
  shortlist?(pod: Pod, context: EngineContext): Int32Array | undefined
  /** The numbers behind a rejection of the row. */
  shortages?(pod: Pod, row: number, context: EngineContext): readonly InsufficientResource[]
}
