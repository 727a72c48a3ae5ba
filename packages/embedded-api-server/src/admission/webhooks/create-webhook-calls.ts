import { errorText } from '@berth/text/error-text'

import type { WebhookCalls, WebhookOutcome, WebhookTarget } from '../../resources/context/webhook-calls.ts'

/**
 * Posts a review to a webhook and answers its JSON.
 *
 * @throws Error whose message says why there is no answer.
 */
export type CallWebhook = (target: WebhookTarget, review: object) => Promise<unknown>

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
