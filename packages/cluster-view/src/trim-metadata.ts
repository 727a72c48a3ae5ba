import type { KubernetesObject, ObjectMeta } from '@berth/types'

/** Maximum length of annotations that are kept: plugins read short ones; tools store whole manifests in long ones. */
const MAX_ANNOTATION_LENGTH = 1_024

/** Returns the metadata of an object without managed fields and large annotations. */
export function trimMetadata(object: KubernetesObject): ObjectMeta {
  const { managedFields: _, annotations, ...metadata } = object.metadata ?? {}
  if (annotations === undefined) return metadata
  const small = Object.entries(annotations).filter(([, value]) => value.length <= MAX_ANNOTATION_LENGTH)
  // A null prototype, because annotation keys are untrusted input.
  const kept: Record<string, string> = Object.assign(Object.create(null), Object.fromEntries(small))
  return { ...metadata, annotations: kept }
}
