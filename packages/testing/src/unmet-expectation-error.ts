/** Thrown when a condition did not become true. The message says what was expected and what was seen instead. */
export class UnmetExpectationError extends Error {
  readonly hint: string | undefined

  constructor(message: string, options: { readonly cause?: unknown; readonly hint?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'UnmetExpectationError'
    this.hint = options.hint
  }
}
