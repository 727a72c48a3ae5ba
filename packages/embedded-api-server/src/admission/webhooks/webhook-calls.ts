import { errorText } from '@berth/text/error-text'

/** Where a webhook is and how long it may take. */
export interface WebhookTarget {
  readonly url: string
  /** PEM of the authority that its certificate is held against; the system's where there is none. */
  readonly ca?: string
  /** Name that its certificate must have, where that is not the URL's host. */
  readonly serverName?: string
  readonly timeoutMs: number
}

/**
 * Posts a review to a webhook and answers its JSON.
 *
 * @throws Error whose message says why there is no answer.
 */
export type CallWebhook = (target: WebhookTarget, review: object) => Promise<unknown>

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

/** A request cannot go on before this call is made. It is no refusal: whoever handles the request makes the call. */
export class WebhookPending extends Error {
  readonly make: () => Promise<void>

  constructor(make: () => Promise<void>) {
    super('a webhook is to be asked')
    this.make = make
  }
}

/** Calls that a request has made so far, by what was asked. */
export function createWebhookCalls(call: CallWebhook): WebhookCalls {
  const outcomes = new Map<string, WebhookOutcome>()
  return {
    outcome(target, review) {
      const key = `${target.url} ${JSON.stringify(review)}`
      const known = outcomes.get(key)
      if (known !== undefined) return known
      throw new WebhookPending(async () => {
        try {
          outcomes.set(key, { kind: 'answer', value: await call(target, review) })
        } catch (error) {
          outcomes.set(key, { kind: 'failed', why: errorText(error) })
        }
      })
    },
  }
}
