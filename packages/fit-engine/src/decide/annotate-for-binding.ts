import type { Pod } from '@berth/types'
import { BindingAnnotationsError } from '../errors.ts'
import { Cycle, type CycleInput } from '../framework/cycle.ts'
import type { Framework } from '../framework/framework.ts'
import { PluginFailure, runHook } from '../framework/plugin-failure.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'

/**
 * Runs the bindingAnnotations hooks for a pod whose node was just chosen, in the same turn. The caller counts the returned
 * pod on the node, and puts {@link addedAnnotations} into the Binding.
 *
 * @returns The pod with the annotations; `pod` itself when no plugin adds one.
 * @throws BindingAnnotationsError BERTH_FIT_ANNOTATIONS when a hook fails, the node is unknown, or two plugins give the
 * same annotation.
 */
export function annotateForBinding(
  framework: Framework,
  state: ClusterState,
  pod: Pod,
  nodeName: string,
  input: CycleInput,
): Pod {
  if (framework.plugins.every(({ plugin }) => plugin.bindingAnnotations === undefined)) return pod
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
  if (added.size === 0) return pod
  const annotations = Object.fromEntries([...added].map(([key, { value }]) => [key, value]))
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } } }
}

/** Returns the annotations of `annotated` that `pod` lacks or has with another value; undefined if there are none. */
export function addedAnnotations(pod: Pod, annotated: Pod): Readonly<Record<string, string>> | undefined {
  const before = pod.metadata.annotations ?? {}
  const added = Object.entries(annotated.metadata.annotations ?? {}).filter(([key, value]) => before[key] !== value)
  return added.length === 0 ? undefined : Object.fromEntries(added)
}
