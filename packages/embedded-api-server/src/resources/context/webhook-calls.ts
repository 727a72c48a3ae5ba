/** Where a webhook is and how long it may take. */
export interface WebhookTarget {
  readonly url: string
  /** PEM of the authority that its certificate is held against; the system's where there is none. */
  readonly ca?: string
  /** Name that its certificate must have, where that is not the URL's host. */
  readonly serverName?: string
  readonly timeoutMs: number
}

/** An answer, or why there is none. */
export type WebhookOutcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly why: string }

/** The webhooks that one request asks. */
export interface WebhookCalls {
  /**
   * The outcome of a call that was made before.
   *
   * @throws WebhookPending where it was not: the request is to begin again when the call is made.
   */
  outcome(target: WebhookTarget, review: object): WebhookOutcome
}
