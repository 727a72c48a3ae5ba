import type { Logger, Pod, Rejection, StatusCode, Victims } from '@berth/types'

/** What an effect hook is given besides its subject. */
export interface EffectContext {
  /** Aborted at the deadline, and when the program ends; a hook that waits must honour it. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Shared by the hooks of one plugin for one pod, from reserve to postBind or unreserve. */
  readonly state: Map<string, unknown>
}

/** Answer of reserve, permit and preBind. `undefined` means: go on. */
export type EffectResult =
  | undefined
  /** The pod goes back to the queue, and everything reserved so far is unreserved. */
  | { readonly kind: 'reject'; readonly code: StatusCode; readonly reasons: readonly string[] }

/** Answer of postFilter: `undefined` means that this plugin found no way. */
export type PostFilterResult = undefined | { readonly kind: 'nominate'; readonly nodeName: string }

/** Answer of bind. */
export type BindResult =
  | { readonly kind: 'bound' }
  /** Not this plugin's pod: the next one is asked. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'reject'; readonly code: StatusCode; readonly reasons: readonly string[] }

type Awaitable<T> = T | Promise<T>

/**
 * The effect hooks of a scheduling plugin: they may wait and may act on the world, each within a deadline. Names and
 * order are kube-scheduler's (v1.36); unlike there, a permit that waits simply does not answer yet. The scheduler
 * runs all but processPreemption, which no program runs yet: see `hookHosts`.
 */
export interface EffectHooks {
  /** No node fits: may make room, and names the node that the pod should get. */
  postFilter?(pod: Pod, rejected: ReadonlyMap<string, Rejection>, context: EffectContext): Awaitable<PostFilterResult>
  /** The node is chosen: sets aside what the pod will need. Must be undone by unreserve. */
  reserve?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<EffectResult>
  /** The pod will not run there after all. Is also called when reserve itself failed; must not fail and may come twice. */
  unreserve?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<void>
  /** Holds the pod back for as long as the promise is pending, at most until the deadline. */
  permit?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<EffectResult>
  /** Prepares the node for the pod. */
  preBind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<EffectResult>
  /** Binds in the scheduler's place. */
  bind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<BindResult>
  /** The pod is bound; what fails here is only logged. */
  postBind?(pod: Pod, nodeName: string, context: EffectContext): Awaitable<void>
  /**
   * Judges the victims that kube-scheduler would evict, by node. Leaving a node out forbids preemption there; the
   * victims of a node may only grow.
   */
  processPreemption?(
    pod: Pod,
    victimsByNode: ReadonlyMap<string, Victims>,
    context: EffectContext,
  ): Awaitable<ReadonlyMap<string, Victims>>
}
