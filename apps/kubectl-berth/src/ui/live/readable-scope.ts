import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'

/** The nodes and pods that this user may watch. */
export interface ReadableScope {
  readonly hasNodes: boolean
  /** Undefined: none; `all`: those of every namespace; `one`: those of the given namespace. */
  readonly pods: 'all' | 'one' | undefined
  /** As in a snapshot: plurals that may not be listed, `pods (other namespaces)` for the scope `one`. */
  readonly forbidden: readonly string[]
}

/** Selects no object: a question about permission costs the API server next to nothing. */
const NO_OBJECT = 'metadata.name=berth-reads-nothing'

/**
 * Returns what may be listed, by lists that match nothing.
 *
 * @throws ApiError and TransportError for failures other than missing permissions.
 */
export async function readableScope(
  client: Pick<ApiClient, 'list'>,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadableScope> {
  const mayList = async (ref: ResourceRef, of?: string): Promise<boolean> => {
    try {
      await client.list(ref, { fieldSelector: NO_OBJECT, signal, ...(of !== undefined && { namespace: of }) })
      return true
    } catch (error) {
      if (isApiStatus(error, 403)) return false
      throw error
    }
  }
  const [hasNodes, hasAllPods] = await Promise.all([mayList(resourceRefs.nodes), mayList(resourceRefs.pods)])
  const pods = hasAllPods ? 'all' : (await mayList(resourceRefs.pods, namespace)) ? 'one' : undefined
  return {
    hasNodes,
    pods,
    forbidden: [
      ...(hasNodes ? [] : ['nodes']),
      ...(pods === 'all' ? [] : [pods === 'one' ? 'pods (other namespaces)' : 'pods']),
    ],
  }
}
