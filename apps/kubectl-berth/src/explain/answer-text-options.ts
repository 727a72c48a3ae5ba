import type { Paint } from '../output/paint.ts'

/** How an answer is shown to people. */
export interface AnswerTextOptions {
  readonly columns: number
  /** Width into which tables fit. */
  readonly tableColumns: number
  readonly paint: Paint
  /** Whether to show every node, holder, cause and fix. */
  readonly isWide: boolean
  /** Ages are counted from here, milliseconds since the epoch. */
  readonly nowMs: number
  /** Whether pods could not be listed, so that a resource without a known holder may have one. Default: false. */
  readonly hasUnknownPods?: boolean
}
