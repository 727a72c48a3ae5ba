import type { ApiObject } from '../../schema/json/api-object.ts'

/** Returns the `PartialObjectMetadata` of an object. */
export function partialMetadata(object: ApiObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
}
