import { isRecord } from '@berth/types'

/** The key under which kube-scheduler and Berth's scheduler publish their configuration. */
const KEY = 'componentconfig'

/** Keys that decisions depend on. */
const DECISION_KEYS = ['profiles', 'extenders']

/**
 * Returns some keys of a `/configz` page as a KubeSchedulerConfiguration in JSON; undefined when the page holds no
 * profiles. kube-scheduler writes its internal type, whose keys begin with capitals.
 *
 * @param keys - Default: those that decisions depend on.
 */
export function configurationOfConfigz(page: unknown, keys: readonly string[] = DECISION_KEYS): string | undefined {
  const configuration = isRecord(page) ? page[KEY] : undefined
  if (!isRecord(configuration)) return undefined
  const readable = withLowerKeys(configuration) as Record<string, unknown>
  if (!Array.isArray(readable['profiles'])) return undefined
  return JSON.stringify(Object.fromEntries(Object.entries(readable).filter(([key]) => keys.includes(key))))
}

/** Changes `SchedulerName` to `schedulerName` and `URLPrefix` to `urlPrefix`, at every depth. Drops type information. */
function withLowerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLowerKeys)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => inner !== null && key !== 'TypeMeta')
      .map(([key, inner]) => [lowerKey(key), withLowerKeys(inner)]),
  )
}

function lowerKey(key: string): string {
  return key.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+$|^[A-Z]/, (start) => start.toLowerCase())
}
