import { pause } from '@berth/clock'
import type { Clock, Logger, Pod } from '@berth/types'
import type { ApiClient } from '../api-client/api-client.ts'
import { resourceRefs } from '../api-conventions/resource-ref.ts'
import { bindError } from '../errors/bind-error.ts'

/** The state of an assumed pod, according to the API server. */
export type ConfirmedBinding =
  | { readonly kind: 'bound' }
  /** The pod no longer exists, or is bound to another node. */
  | { readonly kind: 'gone' }
  /** The pod is not bound, and no earlier bind request can still take effect. */
  | { readonly kind: 'conflict'; readonly error: unknown }
  /** The response was lost and the pod was not bound in time, or the caller stopped before the pod could be read. */
  | { readonly kind: 'unknown'; readonly error: unknown }

/** A bind request without a clear success: the pod may or may not be bound. */
export interface UnconfirmedBind {
  /** Reason for the error if the pod turns out not to be bound. */
  readonly reason: string
  /**
   * Time for which the bind may still take effect, milliseconds. Until then, a pod without a node may still be bound.
   * Default: 0.
   */
  readonly mayTakeEffectForMs?: number
}

/** Dependencies of {@link confirmBinding}. */
export interface ConfirmBindingOptions {
  readonly client: Pick<ApiClient, 'find'>
  readonly clock: Clock
  readonly log: Logger
  /** Ends the reads at shutdown. */
  readonly signal: AbortSignal
}

/** Time for which a request without a response may still take effect: kube-apiserver's `--request-timeout`. */
export const API_REQUEST_TIMEOUT_MS = 60_000

/** Returns the state of a bind whose request may still be on its way, because its response was lost. */
export function lostBind(reason: string): UnconfirmedBind {
  return { reason, mayTakeEffectForMs: API_REQUEST_TIMEOUT_MS }
}

const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 10_000
/** Of consecutive failed reads, one in this number is logged: about every five minutes. */
const LOGGED_FAILURE = 30

/**
 * Reads the pod until the API server responds, and decides whether the pod is bound. The caller must wait for this: as
 * long as the pod may be bound, its room must not be given to another pod. Reads that fail are logged.
 *
 * @returns `unknown` instead of `conflict` when the response of the bind was lost, and at shutdown.
 */
export async function confirmBinding(
  pod: Pod,
  nodeName: string,
  { reason, mayTakeEffectForMs = 0 }: UnconfirmedBind,
  { client, clock, log, signal }: ConfirmBindingOptions,
): Promise<ConfirmedBinding> {
  const startMs = clock.monotonic()
  const { name = '', namespace, uid } = pod.metadata
  let failures = 0
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    // Computed before the read, because a bind may take effect during the read.
    const isSettled = clock.monotonic() - startMs >= mayTakeEffectForMs
    try {
      const current = await client.find<Pod>(resourceRefs.pods, { namespace, name }, { signal, priority: 'high' })
      if (current === undefined || (uid !== undefined && current.metadata.uid !== uid)) return { kind: 'gone' }
      if (current.spec.nodeName === nodeName) return { kind: 'bound' }
      if ((current.spec.nodeName ?? '') !== '') return { kind: 'gone' }
      if (isSettled) {
        return { kind: mayTakeEffectForMs > 0 ? 'unknown' : 'conflict', error: bindError(pod, nodeName, reason) }
      }
    } catch (error) {
      if (signal.aborted) return { kind: 'unknown', error }
      if (failures++ % LOGGED_FAILURE === 0) {
        const fields = { pod: `${namespace}/${name}`, node: nodeName, failures, err: error }
        log.warn(fields, 'Cannot read whether the pod is bound: its room stays taken until it can be read')
      }
    }
    await pause(clock, retryMs, signal)
  }
}
