/** The address and timeout of a webhook. */
export interface WebhookTarget {
  readonly url: string
  /** PEM bundle that verifies the webhook's certificate. Default: the system's certificate authorities. */
  readonly ca?: string
  /** Name that the certificate must have. Default: the URL's host. */
  readonly serverName?: string
  readonly timeoutMs: number
}

/** The result of a webhook call: the response, or the reason why there is none. */
export type WebhookOutcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly why: string }

/** The webhook calls of one request. */
export interface WebhookCalls {
  /**
   * Returns the outcome of a call that was already made.
   *
   * @throws WebhookPending if it was not made. The request must run again after the call.
   */
  outcome(target: WebhookTarget, review: object): WebhookOutcome
}
