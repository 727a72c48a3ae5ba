import type { Pod } from '@berth/types'
import { BindingAnnotationsError } from '../errors.ts'
import { Cycle, type CycleInput } from '../framework/cycle.ts'
import type { Framework } from '../framework/framework.ts'
import { PluginFailure, runHook } from '../framework/plugin-failure.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'

/** A pod as it will be once it is bound. */
export interface AnnotatedPod {
  /** The pod with the annotations added; the given object itself when no plugin adds one. */
  readonly pod: Pod
  /**
   * The annotations of all plugins, for the Binding. Includes those that the pod already has with the same value,
   * because they may change before the Binding arrives. Undefined when no plugin adds one.
   */
  readonly annotations: Readonly<Record<string, string>> | undefined
}

/**
 * Runs the bindingAnnotations hooks for a pod whose node was just chosen. Call it synchronously after the decision. The
 * caller assumes the returned pod on the node, and puts the annotations into the Binding.
 *
 * @throws BindingAnnotationsError BERTH_FIT_ANNOTATIONS when a hook fails, the node is unknown, or two plugins set the
 * same annotation.
 */
export function annotateForBinding(
  framework: Framework,
  state: ClusterState,
  pod: Pod,
  nodeName: string,
  input: CycleInput,
): AnnotatedPod {
  const unchanged = { pod, annotations: undefined }
  if (framework.plugins.every(({ plugin }) => plugin.bindingAnnotations === undefined)) return unchanged
  const fail = (plugin: string, reason: string, cause?: unknown): never => {
    const { namespace, name } = pod.metadata
    throw new BindingAnnotationsError(plugin, `annotate pod ${namespace}/${name} for node ${nodeName}: ${reason}`, {
      code: 'BERTH_FIT_ANNOTATIONS',
      retryable: true,
      cause,
    })
  }
  const table = tableOf(state)
  const row = table.rowOf(nodeName)
  if (row === undefined) return fail('', 'the node is not known')
  const added = new Map<string, { readonly plugin: string; readonly value: string }>()
  for (const { plugin, context } of new Cycle(framework, table, pod, input).plugins) {
    const { name: own } = plugin
    try {
      const annotations = runHook(own, 'BindingAnnotations', () => plugin.bindingAnnotations?.(pod, row, context))
      for (const [key, value] of Object.entries(annotations ?? {})) {
        const other = added.get(key)?.plugin
        if (other !== undefined) fail(own, `plugins ${other} and ${own} both write the annotation ${key}`)
        added.set(key, { plugin: own, value })
      }
    } catch (error) {
      if (!(error instanceof PluginFailure)) throw error
      fail(own, error.message, error.cause)
    }
  }
  if (added.size === 0) return unchanged
  const annotations = Object.fromEntries([...added].map(([key, { value }]) => [key, value]))
  const metadata = { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } }
  return { pod: { ...pod, metadata }, annotations }
}
