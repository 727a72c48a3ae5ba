import type { ConfigMap } from '@berth/types'

/** The resource names that objects may declare. */
export interface AllowedNames {
  /** Returns why objects may not declare a resource, or undefined if they may. */
  readonly refusal: (resourceName: string) => string | undefined
}

/** Allows every name. Used without an administrator's list. */
export const anyName: AllowedNames = { refusal: () => undefined }

/**
 * Reads the administrator's list: `names` and `domains`, one on each line. The admission policy of the chart reads the same
 * two keys.
 *
 * @param configMap - Undefined if it does not exist: then no name is allowed.
 * @param where - Name of the ConfigMap, for messages.
 */
export function readAllowedNames(configMap: ConfigMap | undefined, where: string): AllowedNames {
  if (configMap === undefined) {
    return {
      refusal: () => `the ConfigMap ${where} with the allowed names does not exist; an administrator creates it`,
    }
  }
  const names = linesOf(configMap, 'names')
  const domains = linesOf(configMap, 'domains')
  return {
    refusal: (resourceName) =>
      names.has(resourceName) || domains.has(resourceName.slice(0, resourceName.indexOf('/')))
        ? undefined
        : `${resourceName} is not among the allowed names and domains; an administrator adds it to the ConfigMap ${where}`,
  }
}

function linesOf({ data = {} }: ConfigMap, key: 'names' | 'domains'): ReadonlySet<string> {
  const lines = (new Map(Object.entries(data)).get(key) ?? '').split('\n').map((line) => line.trim())
  return new Set(lines.filter((line) => line !== ''))
}
