import type { Profile } from '@berth/scheduler-config'
import { errorText } from '@berth/text/error-text'
import type { Pod } from '@berth/types'

/**
 * Runs the preEnqueue plugins of a profile, as the scheduler does before it attempts a pod.
 *
 * @returns The first plugin that keeps the pod out of the queue, with its reasons; undefined when none does. A plugin that
 * fails holds the pod back, too.
 */
export function heldBack({ preEnqueue }: Pick<Profile, 'preEnqueue'>, pod: Pod): string | undefined {
  for (const plugin of preEnqueue) {
    try {
      const result = plugin.preEnqueue?.(pod)
      if (result !== undefined) return `held back by plugin ${plugin.name}: ${result.reasons.join(', ')}`
    } catch (error) {
      return `held back by plugin ${plugin.name}, which failed: ${errorText(error)}`
    }
  }
  return undefined
}
