import type { ResourceRef } from '@berth/k8s-client'

/** The API of ExtendedResource objects. */
export const extendedResources: ResourceRef = {
  group: 'berth.dev',
  version: 'v1alpha1',
  plural: 'extendedresources',
  kind: 'ExtendedResource',
  namespaced: false,
}
