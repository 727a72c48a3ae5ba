import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { splitNamespacedName, type ConfigMap, type ExtendedResource } from '@berth/types'
import { extendedResources } from './definition/object-api.ts'
import type { ObjectMirrors } from './watch-objects.ts'

/**
 * Starts to mirror the objects, and the ConfigMap with the allowed names. The mirrors run until the cluster is disposed.
 *
 * @param allowedNames - `namespace/name`; undefined allows every name.
 */
export function mirrorObjects(cluster: Cluster, allowedNames: string | undefined): ObjectMirrors {
  const objects = cluster.reflect<ExtendedResource>(extendedResources)
  if (allowedNames === undefined) return { objects }
  const { namespace, name } = splitNamespacedName(allowedNames)
  const configMaps = cluster.reflect<ConfigMap>(resourceRefs.configMaps, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
  })
  return { objects, allowedNames: { name: allowedNames, configMaps } }
}
