import type { ApiRequest, ApiResponse } from '@berth/types'
import { createWebhookCalls, WebhookPending, type CallWebhook } from '../admission/webhooks/create-webhook-calls.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { internalError } from '../schema/status/api-errors.ts'
import { routeRequest, type RequestProgress } from './route-request.ts'

/** Maximum number of webhook calls for one request. More of them indicate an endless loop. */
const MAX_WEBHOOK_CALLS = 64

/**
 * Handles a request that may need admission webhooks. The verbs are synchronous: when one needs the outcome of a call that
 * has not been made, it throws {@link WebhookPending}. Nothing has been written by then, so the request starts again once
 * the call is complete.
 */
export async function handleWithWebhooks(
  context: ServerContext,
  http: ApiRequest,
  progress: RequestProgress,
  callWebhook: CallWebhook,
): Promise<ApiResponse> {
  const calls = createWebhookCalls(callWebhook)
  const randomNumbers: number[] = []
  const nowMs = context.clock.now()
  for (let callsMade = 0; callsMade <= MAX_WEBHOOK_CALLS; callsMade++) {
    try {
      return await routeRequest(repeatableContext(context, randomNumbers, nowMs), http, progress, calls)
    } catch (error) {
      if (!(error instanceof WebhookPending)) throw error
      await error.call()
    }
  }
  throw internalError(`the request needs more than ${MAX_WEBHOOK_CALLS} webhook calls`)
}

/** Returns a context with fixed time and random numbers, so that each attempt sends the same webhook requests. */
function repeatableContext(context: ServerContext, randomNumbers: number[], nowMs: number): ServerContext {
  const { clock, random } = context
  let next = 0
  return {
    ...context,
    random: () => (randomNumbers[next++] ??= random()),
    clock: {
      now: () => nowMs,
      monotonic: () => clock.monotonic(),
      setTimer: (delayMs, task) => clock.setTimer(delayMs, task),
    },
  }
}
