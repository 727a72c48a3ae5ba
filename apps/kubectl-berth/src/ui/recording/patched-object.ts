import { applyJsonMergePatch, isRecord, type KubernetesObject } from '@berth/types'

/**
 * Applies a merge patch or a strategic merge patch that was recorded without its response.
 *
 * @returns Undefined for a patch with lists. Whether they replace or merge depends on the type of the patch, which an audit log does not
 * contain.
 */
export function patchedObject(object: KubernetesObject, patch: unknown): KubernetesObject | undefined {
  return isRecord(patch) && !hasList(patch) ? (applyJsonMergePatch(object, patch) as KubernetesObject) : undefined
}

function hasList(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && Object.values(value).some(hasList))
}
