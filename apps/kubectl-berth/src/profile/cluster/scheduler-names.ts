import { DEFAULT_SCHEDULER } from '@berth/scheduler-config'
import { isJsonObject } from '../../output/is-json-object.ts'
import { parseYaml } from './parse-yaml.ts'

/** Returns the schedulerNames of the profiles in a KubeSchedulerConfiguration; undefined for any other text. */
export function parseSchedulerNames(text: string): readonly string[] | undefined {
  const value = parseYaml(text)
  if (!isJsonObject(value)) return undefined
  const { kind, profiles } = value
  if (kind !== undefined && kind !== 'KubeSchedulerConfiguration') return undefined
  if (profiles !== undefined && profiles !== null && !Array.isArray(profiles)) return undefined
  return ((profiles ?? []) as readonly unknown[]).map((profile) => {
    const name = isJsonObject(profile) ? profile['schedulerName'] : undefined
    return typeof name === 'string' ? name : DEFAULT_SCHEDULER
  })
}
