import { isRecord } from './is-record.ts'

/** Applies a JSON merge patch (RFC 7396): null removes, objects merge, everything else replaces. */
export function applyJsonMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  // A map also holds a key such as __proto__ as a member.
  const result = new Map(isRecord(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key)
    else result.set(key, applyJsonMergePatch(result.get(key), value))
  }
  return Object.fromEntries(result)
}
