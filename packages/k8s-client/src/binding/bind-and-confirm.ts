import { errorText } from '@berth/text/error-text'
import type { Pod } from '@berth/types'
import type { ApiClient } from '../api-client/api-client.ts'
import { linkAbort } from '../async/link-abort.ts'
import { bindError } from '../errors/bind-error.ts'
import { type ConfirmBindingOptions, type ConfirmedBinding, confirmBinding, lostBind } from './confirm-binding.ts'

/** Options of {@link bindAndConfirm}. */
export interface BindAndConfirmOptions extends ConfirmBindingOptions {
  readonly client: Pick<ApiClient, 'find' | 'bind'>
  /** Called right before the request is sent: false once another replica may bind. */
  readonly mayWrite: () => boolean
  /**
   * Aborts once another replica may bind. It ends a request in flight, which could arrive after the binds of that replica; the
   * pod is then read. Default: a request in flight ends with its deadline.
   */
  readonly lost?: AbortSignal
  /** Merged into the annotations of the pod in the same write. */
  readonly annotations?: Readonly<Record<string, string>>
}

/**
 * Binds the pod through the binding subresource. Unless the API server responds that it bound or refused the pod, reads
 * the pod until it is known whether it is bound (see {@link confirmBinding}).
 */
export async function bindAndConfirm(
  pod: Pod,
  nodeName: string,
  options: BindAndConfirmOptions,
): Promise<ConfirmedBinding> {
  const { client, mayWrite: mayStart, annotations } = options
  if (options.lost?.aborted === true)
    return confirmBinding(pod, nodeName, { reason: errorText(options.lost.reason) }, options)
  const linked = linkAbort(options.signal, options.lost)
  const outcome = await client
    .bind(pod, nodeName, { signal: linked.signal, mayStart, ...(annotations !== undefined && { annotations }) })
    .finally(() => linked.release())
  switch (outcome.kind) {
    case 'bound':
      return outcome
    case 'rejected':
      if (outcome.status === 404) return { kind: 'gone' }
      if (isRefused(outcome.status)) return { kind: 'conflict', error: bindError(pod, nodeName, outcome.message) }
      return confirmBinding(pod, nodeName, { reason: outcome.message }, options)
    case 'unsent':
      return confirmBinding(pod, nodeName, { reason: errorText(outcome.cause) }, options)
    case 'unknown':
      return confirmBinding(pod, nodeName, lostBind(errorText(outcome.cause)), options)
  }
}

/** Returns whether the server refused the request without acting on it. 409 may stand for an earlier bind that took effect. */
function isRefused(status: number): boolean {
  return status >= 400 && status < 500 && status !== 409
}
