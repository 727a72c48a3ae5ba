import { isObject } from '../../schema/json/json-object.ts'

/** Applies a JSON merge patch (RFC 7396): null removes, objects merge, everything else replaces. */
export function applyJsonMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const key of Object.keys(patch)) {
    if (patch[key] === null) delete result[key]
    else result[key] = applyJsonMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, patch[key])
  }
  return result
}
