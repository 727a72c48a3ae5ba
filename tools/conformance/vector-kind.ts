/** Computes Berth's answers to the vectors of one kind. */
export interface VectorKind {
  /** Computes the answer to a vector's `input`, which must equal its `expected`. */
  readonly answer: (input: unknown) => unknown
  /** Returns the part of an answer that is compared. Default: all of it. */
  readonly comparable?: (answer: unknown, input: unknown) => unknown
}
