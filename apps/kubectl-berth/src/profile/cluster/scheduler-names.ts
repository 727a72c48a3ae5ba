import { DEFAULT_SCHEDULER } from '@berth/scheduler-config'
import { isRecord, type Pod } from '@berth/types'
import { podFlag } from './scheduler-pods.ts'

/**
 * Returns the schedulerNames that a pod serves: those of the profiles in its configuration; without profiles, the one of
 * its flag. Undefined when the value is not a KubeSchedulerConfiguration.
 */
export function schedulerNamesOf(configuration: unknown, pod: Pod): readonly string[] | undefined {
  if (!isRecord(configuration)) return undefined
  const { kind, profiles } = configuration
  if (kind !== undefined && kind !== 'KubeSchedulerConfiguration') return undefined
  if (profiles !== undefined && profiles !== null && !Array.isArray(profiles)) return undefined
  const names = ((profiles ?? []) as readonly unknown[]).map((profile) => {
    const name = isRecord(profile) ? profile['schedulerName'] : undefined
    return typeof name === 'string' ? name : DEFAULT_SCHEDULER
  })
  return names.length > 0 ? names : [podFlag(pod, 'scheduler-name') ?? DEFAULT_SCHEDULER]
}
