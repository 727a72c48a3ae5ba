import {
  API_REQUEST_TIMEOUT_MS,
  type ApiClient,
  bindAndConfirm,
  type ConfirmedBinding,
  confirmBinding,
  lostBind,
} from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import type { Clock, Logger, Pod } from '@berth/types'
import { type ExtenderCallContext, observeCall } from '../extenders/observe-call.ts'
import { EffectError } from '../errors.ts'
import type { ExtenderClient } from '../extenders/extender-client.ts'
import { isResponseLost } from '../extenders/extender-transport.ts'
import type { EffectRunner } from './effect-runner.ts'
import { mayHaveWritten } from './run-hook.ts'

/** The result of {@link runBinders}. */
export type BindersResult =
  | ConfirmedBinding
  /** The bind hook of a plugin rejected the pod. In the result of `bindAssumed`: permit, its group, preBind or bind. */
  | { readonly kind: 'rejected'; readonly plugin: string; readonly message: string }

/** Options of {@link runBinders}. */
export interface RunBindersOptions extends ExtenderCallContext {
  readonly client: ApiClient
  readonly clock: Clock
  readonly log: Logger
  readonly extenders: readonly ExtenderClient[]
  /** Called right before each request that binds: false once another replica may schedule. */
  readonly mayWrite: () => boolean
  /** Aborts once another replica may schedule. Ends the bind of this replica in flight. */
  readonly lost?: AbortSignal
  /** Annotations of plugins for the Binding. */
  readonly annotations?: Readonly<Record<string, string>>
}

/**
 * Binds the pod through the first binder that accepts it: the extender with a bind verb, a plugin's bind hook, or the
 * binding subresource. The report of an extender or a plugin is not trusted: unless the API server itself responded
 * that it bound the pod, {@link confirmBinding} reads the pod. A plugin that threw or did not end may have sent a request, so
 * the pod is read for as long as that may take effect.
 *
 * @throws EffectError BERTH_SCHEDULER_EFFECT when a plugin rejects the pod with an error, another replica may schedule, or an
 * extender binds the pod and would not write the annotations that plugins gave it.
 */
export async function runBinders(
  pod: Pod,
  nodeName: string,
  effects: EffectRunner,
  options: RunBindersOptions,
): Promise<BindersResult> {
  const extender = options.extenders.find((each) => each.hasBind && each.isInterestedIn(pod))
  if (extender !== undefined) {
    if (options.annotations !== undefined) throw wouldLoseAnnotations(extender, pod, nodeName, options.annotations)
    const result = await bindByExtender(extender, pod, nodeName, options)
    if (result !== 'pass on') return result
  }
  const pluginResult = await effects.bind().catch((error: unknown) => {
    if (mayHaveWritten(error)) return error
    throw error
  })
  if (pluginResult instanceof Error) return confirmBinding(pod, nodeName, lostBind(pluginResult.message), options)
  if (pluginResult?.kind === 'rejected') return pluginResult
  if (pluginResult !== undefined) {
    return confirmBinding(
      pod,
      nodeName,
      { reason: 'a bind plugin reported that it bound the pod, but the pod is not bound' },
      options,
    )
  }
  return bindAndConfirm(pod, nodeName, options)
}

async function bindByExtender(
  extender: ExtenderClient,
  pod: Pod,
  nodeName: string,
  options: RunBindersOptions,
): Promise<ConfirmedBinding | 'pass on'> {
  const { url, isIgnorable } = extender
  try {
    await observeCall(extender, 'bind', options, () =>
      extender.bind(pod, nodeName, { signal: options.signal, mayStart: options.mayWrite }),
    )
  } catch (error) {
    // The extender may have bound the pod before it failed. After an ignorable extender, the next binder binds to the
    // same node, so a late bind of the extender does no harm.
    const mayTakeEffectForMs = isResponseLost(error) && !isIgnorable ? API_REQUEST_TIMEOUT_MS : 0
    const result = await confirmBinding(pod, nodeName, { reason: errorText(error), mayTakeEffectForMs }, options)
    return isIgnorable && result.kind === 'conflict' ? 'pass on' : result
  }
  const reason = `extender ${url} reported that it bound the pod, but the pod is not bound`
  return confirmBinding(pod, nodeName, { reason }, options)
}

function wouldLoseAnnotations(
  { url }: ExtenderClient,
  pod: Pod,
  nodeName: string,
  annotations: Readonly<Record<string, string>>,
): EffectError {
  const names = Object.keys(annotations).join(', ')
  const text = `bind pod ${pod.metadata.namespace}/${pod.metadata.name} to node ${nodeName}: extender ${url} binds it and would not write the annotations ${names}`
  return new EffectError('', text, {
    code: 'BERTH_SCHEDULER_EFFECT',
    retryable: true,
    hint: 'Run the plugin that gives the annotations in the extender, or remove bindVerb from its entry.',
  })
}
