import type { Framework } from '@berth/fit-engine'
import { errorText } from '@berth/text/error-text'
import type { Pod } from '@berth/types'

/**
 * Runs the preEnqueue plugins of a profile, as the scheduler does before it attempts a pod.
 *
 * @returns The first plugin that keeps the pod out of the queue, with its reasons; undefined when none does. A plugin that
 * fails holds the pod back, too.
 */
export function heldBack({ plugins }: Framework, pod: Pod): string | undefined {
  for (const { plugin } of plugins) {
    try {
      const result = plugin.preEnqueue?.(pod)
      if (result !== undefined) return `held back by plugin ${plugin.name}: ${result.reasons.join(', ')}`
    } catch (error) {
      return `held back by plugin ${plugin.name}, which failed: ${errorText(error)}`
    }
  }
  return undefined
}
