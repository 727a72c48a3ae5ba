import type { ResourceRef } from '@berth/k8s-client'

/** The API of ExtendedResource objects. */
export const extendedResources: ResourceRef = {
  group: 'berth.dev',
  version: 'v1alpha1',
  plural: 'extendedresources',
  kind: 'ExtendedResource',
  namespaced: false,
}

/** Finalizer that keeps an object until its resource is withdrawn from all nodes. */
export const FINALIZER = 'berth.dev/withdraw'
