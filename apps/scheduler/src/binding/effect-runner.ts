import type { EffectHooks } from '@berth/plugin-api'
import { type Clock, type Pod, StatusCode } from '@berth/types'
import { EffectError } from '../errors.ts'
import type { EffectPlugin } from '@berth/scheduler-config'
import { runPermit } from '../permit/run-permit.ts'
import type { PermitDecision, WaitingPodRegistry } from '../permit/waiting-pods.ts'
import { defaultDeadlines, type EffectDeadlines, runHook, type WriteFence } from './run-hook.ts'

/** The result of running one hook of every plugin. */
export type EffectOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'rejected'; readonly plugin: string; readonly message: string }

/**
 * Runs the effect hooks of a profile for one pod and one node, from reserve to postBind or unreserve. Effect hooks,
 * unlike filters and scores, may have side effects. reserve, permit, preBind and bind throw an EffectError
 * BERTH_SCHEDULER_EFFECT when a plugin throws or misses its deadline.
 */
export interface EffectRunner {
  reserve(): Promise<EffectOutcome>
  /** Resolves when no plugin delays the pod any longer. */
  permit(): Promise<PermitDecision>
  preBind(): Promise<EffectOutcome>
  /** Returns undefined when no plugin binds this pod. */
  bind(): Promise<EffectOutcome | undefined>
  /** Runs the unreserve hooks in reverse plugin order. Never rejects. */
  unreserve(): Promise<void>
  /** Never rejects. */
  postBind(): Promise<void>
}

/** Options of {@link createEffectRunner}. */
export interface EffectRunnerOptions {
  readonly pod: Pod
  readonly nodeName: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Ends reserve and preBind, because the pod was preempted or this scheduler stops. */
  readonly ended: AbortSignal
  readonly deadlines?: EffectDeadlines
  readonly waitingPods: WaitingPodRegistry
  /** Fence of preBind and bind. */
  readonly fence: WriteFence
}

/** Hooks that write before the pod is bound. */
const writingHooks: ReadonlySet<Hook> = new Set(['preBind', 'bind'])

type Hook = Exclude<keyof EffectHooks, 'postFilter' | 'processPreemption'>

/** Creates the runner of the effect hooks; no hook runs yet. */
export function createEffectRunner(plugins: readonly EffectPlugin[], options: EffectRunnerOptions): EffectRunner {
  const { pod, nodeName, clock, waitingPods, fence, deadlines = defaultDeadlines } = options
  const states = new Map(plugins.map(({ name }) => [name, new Map<string, unknown>()]))
  const call = <Name extends Hook>(
    plugin: EffectPlugin,
    hook: Name,
    { signal = options.signal, onReturned }: CallOptions = {},
  ): Promise<Awaited<HookResult<Name>>> =>
    runHook(
      plugin,
      hook,
      {
        clock,
        signal,
        waitingPods,
        deadlineMs: hook === 'permit' ? deadlines.permitMs : deadlines.hookMs,
        ...(writingHooks.has(hook) && { fence }),
      },
      (context) => {
        const state = states.get(plugin.name) ?? new Map<string, unknown>()
        const returned = plugin.hooks[hook]?.(pod, nodeName, { ...context, state })
        onReturned?.(returned)
        return returned
      },
    ) as Promise<Awaited<HookResult<Name>>>
  const callUntilEnded = async <Name extends 'reserve' | 'preBind'>(
    plugin: EffectPlugin,
    hook: Name,
  ): Promise<Awaited<HookResult<Name>>> => {
    try {
      return await call(plugin, hook, { signal: options.ended })
    } catch (error) {
      options.ended.throwIfAborted()
      throw error
    }
  }
  const pass = async (hook: 'reserve' | 'preBind'): Promise<EffectOutcome> => {
    for (const plugin of plugins) {
      if (plugin.hooks[hook] === undefined) continue
      options.ended.throwIfAborted()
      const result = await callUntilEnded(plugin, hook)
      if (result !== undefined) return rejection(plugin.name, hook, result)
    }
    return { kind: 'passed' }
  }
  const attempt = async (plugin: EffectPlugin, hook: 'unreserve' | 'postBind'): Promise<void> => {
    if (plugin.hooks[hook] === undefined) return
    try {
      await call(plugin, hook)
    } catch (error) {
      plugin.log.error({ err: error, pod: pod.metadata.name, node: nodeName }, 'Effect hook failed')
    }
  }
  return {
    reserve: () => pass('reserve'),
    permit: () =>
      runPermit(plugins, pod, nodeName, {
        waitingPods,
        maxWaitMs: deadlines.permitMs,
        call: (plugin, signal, onReturned) =>
          call(plugin, 'permit', { signal: AbortSignal.any([options.signal, signal]), onReturned }),
        rejection: (plugin, result) => rejection(plugin, 'permit', result),
      }),
    preBind: () => pass('preBind'),
    async bind() {
      for (const plugin of plugins) {
        if (plugin.hooks.bind === undefined) continue
        const result = await call(plugin, 'bind')
        if (result.kind === 'bound') return { kind: 'passed' }
        if (result.kind === 'reject') return rejection(plugin.name, 'bind', result)
      }
      return undefined
    },
    async unreserve() {
      for (const plugin of plugins.toReversed()) await attempt(plugin, 'unreserve')
    },
    async postBind() {
      for (const plugin of plugins) await attempt(plugin, 'postBind')
    },
  }
}

interface CallOptions {
  readonly signal?: AbortSignal
  /** Called with what the hook returned, before a promise is settled. */
  readonly onReturned?: (returned: unknown) => void
}

type HookResult<Name extends Hook> = ReturnType<NonNullable<EffectHooks[Name]>>

function rejection(
  plugin: string,
  hook: string,
  { code, reasons }: { readonly code: StatusCode; readonly reasons: readonly string[] },
): Extract<EffectOutcome, { readonly kind: 'rejected' }> {
  const message = reasons.join(', ')
  if (code === StatusCode.Error) {
    throw new EffectError(plugin, `run ${hook} of plugin ${plugin}: ${message}`, {
      code: 'BERTH_SCHEDULER_EFFECT',
      retryable: true,
    })
  }
  return { kind: 'rejected', plugin, message }
}
