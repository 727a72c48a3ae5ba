import { type ClusterSnapshot, otherNamespaces } from './snapshot-cluster.ts'

/**
 * Returns whether a snapshot holds every object of a type, so that an object that is not in it does not exist.
 *
 * @param namespace - The namespace of the objects. Omit for cluster-scoped types and for all namespaces.
 */
export function isListed(
  { forbidden, fallbackNamespace }: Pick<ClusterSnapshot, 'forbidden' | 'fallbackNamespace'>,
  plural: string,
  namespace?: string,
): boolean {
  if (forbidden.includes(plural)) return false
  return !forbidden.includes(otherNamespaces(plural)) || (namespace !== undefined && namespace === fallbackNamespace)
}
