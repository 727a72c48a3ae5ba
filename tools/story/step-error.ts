/** A step of the story that did not come true. Its message is what was expected and what was seen instead. */
export class StepError extends Error {
  readonly hint: string | undefined

  constructor(message: string, options: { readonly cause?: unknown; readonly hint?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'StepError'
    this.hint = options.hint
  }
}
