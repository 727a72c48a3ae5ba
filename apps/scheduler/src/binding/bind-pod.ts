import { type ApiClient, type BindOutcome, resourceRefs } from '@berth/k8s-client'
import type { Clock, Pod } from '@berth/types'
import { observed, type ExtenderQuestion } from '../extenders/ask-extenders.ts'
import type { Effects } from './effects.ts'
import { BindError } from '../errors.ts'
import type { ExtenderClient } from '../extenders/extender-client.ts'
import { isUnanswered } from '../extenders/extender-transport.ts'
import { podName } from '../queue/queued-pod.ts'

/** How the part of an attempt after the assumption ended. */
export type BindingEnd =
  | { readonly kind: 'bound' }
  /** permit, preBind or bind of a plugin turned the pod away. */
  | { readonly kind: 'rejected'; readonly plugin: string; readonly message: string }
  /** The pod is gone, or somebody else bound it. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** What binding needs of the world. */
export interface BindingParts extends ExtenderQuestion {
  readonly client: ApiClient
  readonly clock: Clock
  readonly extenders: readonly ExtenderClient[]
  /** Asked right before each request that binds: false once another replica may schedule. */
  readonly mayBind: () => boolean
  readonly onOutcome: (kind: BindOutcome['kind'] | 'error', durationMs: number) => void
}

/** permit, preBind and bind of an assumed pod. Never rejects, and does not end before it is known where the pod is. */
export async function bindAssumed(
  pod: Pod,
  nodeName: string,
  effects: Effects,
  parts: BindingParts,
): Promise<BindingEnd> {
  try {
    for (const step of [() => effects.permit(), () => effects.preBind()]) {
      const result = await step()
      if (result.kind === 'rejected') return result
    }
    if (!parts.mayBind()) throw bindError(pod, nodeName, 'this replica is not the leader any more')
    const startMs = parts.monotonic()
    try {
      const end = await bindByWhoever(pod, nodeName, effects, parts)
      parts.onOutcome(outcomeOf(end), parts.monotonic() - startMs)
      return end
    } catch (error) {
      parts.onOutcome('error', parts.monotonic() - startMs)
      throw error
    }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

function outcomeOf(end: BindingEnd): BindOutcome['kind'] | 'error' {
  if (end.kind === 'bound' || end.kind === 'gone') return end.kind
  return end.kind === 'failed' ? 'conflict' : 'error'
}

async function bindByWhoever(pod: Pod, nodeName: string, effects: Effects, parts: BindingParts): Promise<BindingEnd> {
  const binder = parts.extenders.find((extender) => extender.binds && extender.isInterestedIn(pod))
  if (binder !== undefined) {
    try {
      await observed(binder, 'bind', parts, () => binder.bind(pod, nodeName, parts.signal))
      return await whereItIs(pod, nodeName, parts, `extender ${binder.url} said that it bound the pod, but it did not`)
    } catch (error) {
      // It may have bound before it failed; only the API server knows.
      const end = await whereItIs(pod, nodeName, parts, reasonOf(error), lateMsOf(binder, error))
      if (end.kind !== 'failed' || !binder.isIgnorable) return end
    }
  }
  const byPlugin = await effects.bind()
  if (byPlugin?.kind === 'rejected') return byPlugin
  if (byPlugin !== undefined)
    return whereItIs(pod, nodeName, parts, 'a bind plugin said that it bound the pod, but it did not')
  const outcome = await parts.client.bind(pod, nodeName, { signal: parts.signal, mayStart: parts.mayBind })
  switch (outcome.kind) {
    case 'bound':
      return { kind: 'bound' }
    case 'gone':
      return { kind: 'gone' }
    case 'conflict':
      return whereItIs(pod, nodeName, parts, outcome.message)
    case 'unknown':
      return whereItIs(pod, nodeName, parts, reasonOf(outcome.cause), LATE_EFFECT_MS)
  }
}

/** Longest wait between two attempts to read the pod, milliseconds. */
const MAX_REREAD_WAIT_MS = 10_000
/** How long a bind that was not answered may still take effect: kube-apiserver's `--request-timeout`. */
const LATE_EFFECT_MS = 60_000

/**
 * Reads the pod until the API server answers: as long as nobody knows whether it is bound, its room must not be given
 * to another pod.
 *
 * @param reason - Why the bind failed, when it turns out that it did.
 * @param lateMs - For how long the bind may still take effect; until then a pod without a node proves nothing.
 */
async function whereItIs(
  pod: Pod,
  nodeName: string,
  { client, clock, signal }: BindingParts,
  reason: string,
  lateMs = 0,
): Promise<BindingEnd> {
  const startMs = clock.monotonic()
  const { name = '', namespace, uid } = pod.metadata
  for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, MAX_REREAD_WAIT_MS)) {
    const isLateEnough = clock.monotonic() - startMs >= lateMs
    try {
      const current = await client.find<Pod>(resourceRefs.pods, { namespace, name }, { signal, priority: 'high' })
      if (current === undefined || (uid !== undefined && current.metadata.uid !== uid)) return { kind: 'gone' }
      if (current.spec.nodeName === nodeName) return { kind: 'bound' }
      if ((current.spec.nodeName ?? '') !== '') return { kind: 'gone' }
      if (isLateEnough) return { kind: 'failed', error: bindError(pod, nodeName, reason) }
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', error }
    }
    await pause(waitMs, clock, signal)
  }
}

/** An extender that answered has said all. Where the next step binds to the same node, nothing is to be waited for. */
function lateMsOf(binder: ExtenderClient, error: unknown): number {
  return isUnanswered(error) && !binder.isIgnorable ? LATE_EFFECT_MS : 0
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no answer'
}

function bindError(pod: Pod, nodeName: string, reason: string): BindError {
  return new BindError(`bind pod ${podName(pod)} to node ${nodeName}: ${reason}`, {
    code: 'BERTH_SCHEDULER_BIND',
    retryable: true,
  })
}

/** Waits, at most until `signal` aborts. */
export function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const end = (): void => {
      timer.cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.setTimer(ms, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
