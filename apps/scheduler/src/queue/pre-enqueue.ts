import { hungPlugins } from '../watchdog/hung-condition.ts'
import type { Profile } from '@berth/scheduler-config'
import type { Logger, Pod } from '@berth/types'
import { podName } from './queued-pod.ts'

/**
 * Returns a function that runs the preEnqueue plugins of the pod's profile in their order and names the first that holds the pod back. A
 * plugin that fails holds it back, too.
 */
export function createPreEnqueue(
  profileOf: (pod: Pod) => Profile | undefined,
  log: Logger,
): (pod: Pod) => string | undefined {
  return (pod) => {
    for (const plugin of profileOf(pod)?.preEnqueue ?? []) {
      // A plugin that did not return for this pod is not called again. The attempt then rejects the pod with
      // HUNG_REJECTOR.
      if (plugin.preEnqueue === undefined || hungPlugins(pod).includes(plugin.name)) continue
      try {
        const result = plugin.preEnqueue(pod)
        if (result === undefined) continue
        log.debug({ pod: podName(pod), plugin: plugin.name, reasons: result.reasons }, 'Pod is held back')
      } catch (error) {
        log.error({ err: error, pod: podName(pod), plugin: plugin.name }, 'PreEnqueue plugin failed; the pod waits')
      }
      return plugin.name
    }
    return undefined
  }
}
