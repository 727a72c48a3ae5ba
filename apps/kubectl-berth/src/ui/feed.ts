import type { FeedKind, UiModel } from './model/ui-model.ts'
import type { UiPoint } from './model/ui-point.ts'

/** The data of the page and how it changes: from a cluster or from a recording. */
export interface UiFeed {
  readonly kind: FeedKind
  /** Keeps the data up to date until the result is disposed. */
  use(): Disposable
  /** The newest model; undefined until the cluster was read. */
  latest(): UiModel | undefined
  /** Returns the model of a time that the timeline covers, or of its nearest end. */
  at(timeMs: number): UiModel | undefined
  /** Returns the points of the timeline after a number, and the number of the last. */
  pointsAfter(sequence: number): { readonly points: readonly UiPoint[]; readonly sequence: number }
  /** Why the data may be out of date, as a part of a sentence; undefined while it is not. */
  problem(): string | undefined
  /** Calls `listener` after each change of the data, until the result is called. */
  subscribe(listener: () => void): () => void
}
