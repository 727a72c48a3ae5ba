import type { PermitResult } from '@berth/plugin-api'
import type { EffectPlugin } from '@berth/scheduler-config'
import type { Pod } from '@berth/types'
import type { PermitDecision, PermitWait, WaitingPodRegistry } from './waiting-pods.ts'

/** Options of {@link runPermit}. */
export interface RunPermitOptions {
  readonly waitingPods: WaitingPodRegistry
  /** Longest wait, milliseconds. */
  readonly maxWaitMs: number
  /**
   * Calls the permit hook of a plugin within `signal`, and `onReturned` with what the hook returned as soon as it
   * returned.
   */
  readonly call: (
    plugin: EffectPlugin,
    signal: AbortSignal,
    onReturned: (result: unknown) => void,
  ) => Promise<PermitResult>
  /** Converts a rejection; throws for one with the code Error. */
  readonly rejection: (
    plugin: string,
    result: Extract<PermitResult, { readonly kind: 'reject' }>,
  ) => Extract<PermitDecision, { readonly kind: 'rejected' }>
}

/**
 * Runs the permit hooks in order, and waits until every plugin that delays the pod has allowed it. While the pod waits,
 * it is in the registry.
 *
 * @throws EffectError BERTH_SCHEDULER_EFFECT when a hook fails.
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunPermitPlugins, WaitOnPermit (v1.36)
 */
export async function runPermit(
  plugins: readonly EffectPlugin[],
  pod: Pod,
  nodeName: string,
  options: RunPermitOptions,
): Promise<PermitDecision> {
  const permitPlugins = plugins.filter(({ hooks }) => hooks.permit !== undefined)
  if (permitPlugins.length === 0) return { kind: 'passed' }
  const wait = options.waitingPods.enter(pod, nodeName)
  try {
    for (const plugin of permitPlugins) {
      if (wait.decision !== undefined) return wait.decision
      const rejection = await callPermit(plugin, wait, options)
      if (rejection !== undefined) return rejection
    }
    return await wait.whenDecided()
  } finally {
    wait.leave()
  }
}

/** Calls one hook. Returns its rejection; undefined when the plugin allows or delays the pod, or the wait ended. */
async function callPermit(
  plugin: EffectPlugin,
  wait: PermitWait,
  { maxWaitMs, call, rejection }: RunPermitOptions,
): Promise<PermitDecision | undefined> {
  const { name } = plugin
  const abandoned = new AbortController()
  wait.delay(name, maxWaitMs)
  const asked = call(plugin, abandoned.signal, (returned) => {
    // Other plugins see the pod only from now on: while its own hook ran, the hook would have found it in the list.
    if (isWaiting(returned)) wait.publish()
  })
  const result = await Promise.race([asked, wait.whenAllowed(name).then(() => 'decided' as const)])
  if (result === 'decided') {
    abandoned.abort(new Error('the wait of the pod ended'))
    asked.catch(() => undefined)
    return undefined
  }
  if (result === undefined) wait.allow(name)
  else if (result.kind === 'reject') return rejection(name, result)
  else wait.delay(name, Math.min(result.timeoutMs, maxWaitMs))
  return undefined
}

function isWaiting(returned: unknown): boolean {
  if (typeof returned !== 'object' || returned === null) return false
  return 'then' in returned || ('kind' in returned && returned.kind === 'wait')
}
