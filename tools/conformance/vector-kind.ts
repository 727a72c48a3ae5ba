/** How Berth answers one kind of question. */
export interface Kind {
  /** From `input` of a vector line to what its `expected` must equal. */
  readonly answer: (input: unknown) => unknown
  /** The part of an answer that is contract, where not all of it is. Default: all. */
  readonly contract?: (answer: unknown, input: unknown) => unknown
}
