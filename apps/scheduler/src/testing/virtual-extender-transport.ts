import type { Clock } from '@berth/types'
import {
  callError,
  type ExtenderTransport,
  NOT_LEADING,
  StatusError,
  WithheldError,
} from '../extenders/extender-transport.ts'

/** Sends a call to an extender in this process. Rejects when there is no response. */
export type SendToExtender = (verb: string, body: string) => Promise<{ readonly status: number; readonly text: string }>

/** Creates a transport to an extender in this process, with a timeout in virtual time. */
export function createVirtualExtenderTransport(
  url: string,
  options: { readonly send: SendToExtender; readonly timeoutMs: number; readonly clock: Clock },
): ExtenderTransport {
  const { send, timeoutMs, clock } = options
  return {
    async post(verb, body, { signal, mayStart = () => true }) {
      const ended = Promise.withResolvers<never>()
      ended.promise.catch(() => undefined)
      const timer = clock.setTimer(timeoutMs, () => ended.reject(new Error(`no answer within ${timeoutMs} ms`)))
      const abort = (): void => ended.reject(signal.reason as Error)
      signal.addEventListener('abort', abort, { once: true })
      try {
        if (!mayStart()) throw new WithheldError(NOT_LEADING)
        const { status, text } = await Promise.race([send(verb, body), ended.promise])
        if (status !== 200) throw new StatusError(`code ${status}`)
        return text
      } catch (error) {
        throw callError(`${url}/${verb}`, verb, error instanceof Error ? error.message : String(error), error)
      } finally {
        timer.cancel()
        signal.removeEventListener('abort', abort)
      }
    },
    [Symbol.dispose]() {},
  }
}
