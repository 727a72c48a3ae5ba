import { callHook, type EffectContext, type SchedulingHooks, type WaitingPods } from '@berth/plugin-api'
import { lostBind, type UnconfirmedBind } from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import type { Clock, Logger, Pod, Victims } from '@berth/types'

/** A contributed plugin with the effect hooks that the extender runs. */
export interface EffectPlugin {
  readonly name: string
  readonly hooks: Pick<SchedulingHooks, 'bind' | 'processPreemption'>
  readonly log: Logger
}

/** How the bind hooks ended. */
export type BindHookOutcome =
  /** A plugin reported that it bound the pod, or failed and may have bound it: the pod must be read. */
  | { readonly kind: 'unconfirmed'; readonly bind: UnconfirmedBind }
  /** A plugin refuses to bind the pod. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** No plugin binds the pod. */
  | { readonly kind: 'skipped' }

/** Options of {@link BindHooks}. */
export interface BindHookOptions {
  /** Called right before each hook: false once another replica may bind. */
  readonly mayWrite: () => boolean
  /** Aborts once another replica may bind. */
  readonly lost: AbortSignal
  readonly signal: AbortSignal
}

/** Runs the bind hooks of the plugins in their order until one binds or rejects the pod. */
export type BindHooks = (pod: Pod, nodeName: string, options: BindHookOptions) => Promise<BindHookOutcome>

/**
 * Runs the processPreemption hooks of the plugins in their order. Each hook gets the victims that the one before it
 * returned.
 *
 * @throws PluginError naming the plugin when a hook fails or is too slow.
 */
export type PreemptionHooks = (
  pod: Pod,
  victimsByNode: ReadonlyMap<string, Victims>,
) => Promise<ReadonlyMap<string, Victims>>

/** Time for one hook, milliseconds. kube-scheduler waits for the response in the meantime. */
const HOOK_MS = 1_000
/** The extender delays no pod in a permit phase. */
const noWaitingPods: WaitingPods = { list: () => [], get: () => undefined }

/** Returns the functions that run the effect hooks of the plugins. */
export function createEffectHooks(
  plugins: readonly EffectPlugin[],
  clock: Clock,
): { readonly bind: BindHooks; readonly processPreemption: PreemptionHooks } {
  const contextOf = ({ log }: EffectPlugin, signal: AbortSignal): EffectContext => ({
    signal,
    log,
    state: new Map(),
    waitingPods: noWaitingPods,
  })
  return {
    async bind(pod, nodeName, { mayWrite, lost, signal }) {
      for (const plugin of plugins) {
        const { name, hooks } = plugin
        if (hooks.bind === undefined) continue
        if (!mayWrite()) return { kind: 'rejected', reason: 'this replica no longer holds the Lease' }
        try {
          const call = { plugin: name, hook: 'bind', deadlineMs: HOOK_MS, clock, signal }
          // The hook learns that the Lease is lost. What it returns is awaited nevertheless, because it may have bound the pod.
          const result = await callHook(call, (signal) =>
            hooks.bind?.(pod, nodeName, contextOf(plugin, AbortSignal.any([signal, lost]))),
          )
          if (result?.kind === 'reject') return { kind: 'rejected', reason: `${name}: ${result.reasons.join(', ')}` }
          if (result?.kind === 'bound') {
            const reason = `plugin ${name} reported that it bound the pod, but the pod is not bound`
            return { kind: 'unconfirmed', bind: { reason } }
          }
        } catch (error) {
          // A hook that threw may have lost the response of its bind. One that ignores its signal may bind the pod later.
          return { kind: 'unconfirmed', bind: lostBind(errorText(error)) }
        }
      }
      return { kind: 'skipped' }
    },
    async processPreemption(pod, victimsByNode) {
      let victims = victimsByNode
      for (const plugin of plugins) {
        const { name, hooks } = plugin
        if (hooks.processPreemption === undefined) continue
        const current = victims
        const call = { plugin: name, hook: 'processPreemption', deadlineMs: HOOK_MS, clock }
        victims = await callHook(
          call,
          (signal) => hooks.processPreemption?.(pod, current, contextOf(plugin, signal)) ?? current,
        )
      }
      return victims
    },
  }
}
