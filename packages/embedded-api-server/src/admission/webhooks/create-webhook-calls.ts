import { errorText } from '@berth/text/error-text'

import type { WebhookCalls, WebhookOutcome, WebhookTarget } from '../../resources/context/webhook-calls.ts'

/**
 * Posts a review to a webhook and returns the JSON response.
 *
 * @throws Error whose message says why there is no response.
 */
export type CallWebhook = (target: WebhookTarget, review: object) => Promise<unknown>

/**
 * Thrown by a request that needs the outcome of a webhook call. The API server catches it, makes the call and runs the
 * request again.
 */
export class WebhookPending extends Error {
  readonly call: () => Promise<void>

  constructor(make: () => Promise<void>) {
    super('webhook call pending')
    this.call = make
  }
}

/** Creates the record of the webhook calls of one request, by target and review. */
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
