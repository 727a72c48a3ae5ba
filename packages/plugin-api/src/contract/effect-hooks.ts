import type { Logger, Pod, Rejection, StatusCode, Victims } from '@berth/types'
import type { WaitingPods } from './waiting-pods.ts'

/** Context of an effect hook. */
export interface EffectContext {
  /**
   * Aborted at the deadline and when the program ends; for preBind, bind and postFilter also when another replica takes
   * over. A hook that waits must then stop, and must not write.
   */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Shared by the hooks of one plugin for one pod, from reserve to postBind or unreserve. */
  readonly state: Map<string, unknown>
  /** The pods that permit hooks delay, for example the other members of a gang. Valid after the hook, too. */
  readonly waitingPods: WaitingPods
}

/** Result of reserve and preBind. `undefined` means success. */
export type EffectResult =
  | undefined
  /** Unreserves everything that was reserved and returns the pod to the queue. */
  | { readonly kind: 'reject'; readonly code: StatusCode; readonly reasons: readonly string[] }

/** Result of permit. `undefined` allows the pod. */
export type PermitResult =
  | EffectResult
  /**
   * Delays the pod until this plugin allows or rejects it (`context.waitingPods`), or `timeoutMs` (at most 15 minutes)
   * pass, which rejects it. The permit hooks of the plugins after this one run meanwhile.
   */
  | { readonly kind: 'wait'; readonly timeoutMs: number }

/** Result of postFilter. `undefined` means that this plugin cannot make room. */
export type PostFilterResult = undefined | { readonly kind: 'nominate'; readonly nodeName: string }

/** Result of bind. */
export type BindResult =
  | { readonly kind: 'bound' }
  /** This plugin does not bind the pod; the next plugin is called. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'reject'; readonly code: StatusCode; readonly reasons: readonly string[] }

type Awaitable<T> = T | Promise<T>

/**
 * Hooks that may wait and may have side effects, each within a deadline. Names and order are those of kube-scheduler
 * (v1.36). The scheduler runs all of them except processPreemption; the extender runs bind and processPreemption (see
 * `hookHosts`).
 */
export interface EffectHooks {
  /** Called when no node fits. May make room, and then names the node for the pod. */
  postFilter?(pod: Pod, rejected: ReadonlyMap<string, Rejection>, context: EffectContext): Awaitable<PostFilterResult>
  /**
   * Called when the node is chosen. Reserves what the pod needs; `unreserve` must undo it. The next pod may be decided
   * while the promise is pending, so record before the first `await` what your filters must see.
   */
  reserve?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<EffectResult>
  /** Undoes `reserve`, also after `reserve` itself failed. Must not fail, and may be called twice. */
  unreserve?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<void>
  /**
   * Allows, rejects or delays the pod. A pending promise delays the pod as well, for at most 15 minutes; the permit hooks
   * of later plugins run when it is settled.
   */
  permit?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<PermitResult>
  /** Prepares the node for the pod. */
  preBind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<EffectResult>
  /**
   * Binds the pod instead of the scheduler or the extender, which then reads the pod to confirm it. Return `reject` when
   * the pod is certainly not bound. After an error, the room of the pod stays taken for a minute unless the pod is bound,
   * because a request whose response was lost may still take effect.
   */
  bind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<BindResult>
  /** Called after the pod is bound. An error is only logged. */
  postBind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<void>
  /**
   * Reviews the victims that kube-scheduler would evict, by node. Omitting a node forbids preemption there. The victims of
   * a node may only grow.
   */
  processPreemption?(
    pod: Pod,
    victimsByNode: ReadonlyMap<string, Victims>,
    context: EffectContext,
  ): Awaitable<ReadonlyMap<string, Victims>>
}
