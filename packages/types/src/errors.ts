/** Options of {@link BerthError}. */
export interface BerthErrorOptions {
  /** `BERTH_<AREA>_<WHAT>`; listed with its meaning in docs/errors.md. */
  readonly code: string
  /** Whether the same call may succeed later without any change. Default: false. */
  readonly retryable?: boolean
  /** The error that was wrapped. */
  readonly cause?: unknown
  /** One sentence about what to do next, printed after the message. */
  readonly hint?: string
}

/**
 * The base of every error that Berth throws. Its message is the failed action, the object and the reason
 * ("register plugin example.com/dongle with kubelet: UNAVAILABLE").
 */
export class BerthError extends Error {
  readonly code: string
  readonly retryable: boolean
  readonly hint: string | undefined

  constructor(message: string, options: BerthErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = options.code
    this.retryable = options.retryable ?? false
    this.hint = options.hint
  }
}

/** One entry of an error catalogue. */
export interface ErrorDescription {
  /** `BERTH_<AREA>_<WHAT>`. */
  readonly code: string
  /** One sentence about when the error is thrown. */
  readonly meaning: string
  /** One sentence about what to do next. */
  readonly action: string
}
