import { callHook, type EffectContext, type EffectHooks } from '@berth/plugin-api'
import { type Clock, type Pod, StatusCode } from '@berth/types'
import { EffectError } from '../errors.ts'
import type { EffectPlugin } from '../config/profile.ts'

/** How long hooks may take, milliseconds. */
export interface EffectDeadlines {
  readonly hookMs: number
  /** permit may hold a pod back for long; kube-scheduler allows 15 minutes at most. */
  readonly permitMs: number
}

/** The deadlines of the scheduler. */
export const defaultDeadlines: EffectDeadlines = { hookMs: 10_000, permitMs: 900_000 }

/** How a pass through one hook of every plugin ended. */
export type EffectOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'rejected'; readonly plugin: string; readonly message: string }

/** The effect hooks of a profile for one pod and one node, from reserve to postBind or unreserve. */
export interface Effects {
  /** @throws EffectError BERTH_SCHEDULER_EFFECT; so do permit and preBind. */
  reserve(): Promise<EffectOutcome>
  permit(): Promise<EffectOutcome>
  preBind(): Promise<EffectOutcome>
  /** Undefined: no plugin wants to bind this pod. */
  bind(): Promise<EffectOutcome | undefined>
  /** Undoes reserve, in reverse order. Never rejects. */
  unreserve(): Promise<void>
  /** Never rejects. */
  postBind(): Promise<void>
}

/** What the hooks of one pod share. */
export interface EffectsOptions {
  readonly pod: Pod
  readonly nodeName: string
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly deadlines?: EffectDeadlines
}

type Hook = Exclude<keyof EffectHooks, 'postFilter' | 'processPreemption'>

/** Prepares the hooks; nothing runs yet. */
export function createEffects(plugins: readonly EffectPlugin[], options: EffectsOptions): Effects {
  const { pod, nodeName, deadlines = defaultDeadlines } = options
  const states = new Map(plugins.map((plugin) => [plugin, new Map<string, unknown>()]))
  const call = <Name extends Hook>(plugin: EffectPlugin, hook: Name): Promise<Awaited<HookResult<Name>>> =>
    runHook(
      plugin,
      hook,
      { ...options, deadlineMs: hook === 'permit' ? deadlines.permitMs : deadlines.hookMs },
      (context) => plugin.hooks[hook]?.(pod, nodeName, { ...context, state: states.get(plugin) ?? new Map() }),
    ) as Promise<Awaited<HookResult<Name>>>
  const pass = async (hook: 'reserve' | 'permit' | 'preBind'): Promise<EffectOutcome> => {
    for (const plugin of plugins) {
      if (plugin.hooks[hook] === undefined) continue
      const result = await call(plugin, hook)
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
    permit: () => pass('permit'),
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

type HookResult<Name extends Hook> = ReturnType<NonNullable<EffectHooks[Name]>>

function rejection(
  plugin: string,
  hook: string,
  { code, reasons }: { readonly code: StatusCode; readonly reasons: readonly string[] },
): EffectOutcome {
  const message = reasons.join(', ')
  if (code === StatusCode.Error) {
    throw new EffectError(`run ${hook} of plugin ${plugin}: ${message}`, {
      code: 'BERTH_SCHEDULER_EFFECT',
      retryable: true,
    })
  }
  return { kind: 'rejected', plugin, message }
}

/** What a hook runs with. */
export interface HookRun {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly deadlineMs: number
}

/**
 * Runs one hook of a plugin within its deadline.
 *
 * @throws EffectError BERTH_SCHEDULER_EFFECT
 */
export async function runHook<T>(
  { name, log }: EffectPlugin,
  hook: string,
  { clock, signal, deadlineMs }: HookRun,
  run: (context: Omit<EffectContext, 'state'>) => T | Promise<T>,
): Promise<T> {
  try {
    return await callHook({ plugin: name, hook, deadlineMs, clock, signal }, (hookSignal) =>
      run({ signal: hookSignal, log }),
    )
  } catch (error) {
    throw new EffectError(error instanceof Error ? error.message : `run ${hook} of plugin ${name}`, {
      code: 'BERTH_SCHEDULER_EFFECT',
      retryable: true,
      cause: error,
    })
  }
}
