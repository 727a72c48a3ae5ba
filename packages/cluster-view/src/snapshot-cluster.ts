import { createClusterState, objectKey, type ClusterState } from '@berth/fit-engine'
import { isApiStatus, resourceRefs, type ApiClient, type ListOptions, type ResourceRef } from '@berth/k8s-client'
import type { ClusterObjectKind, ClusterObjectKinds, Node, Pod } from '@berth/types'
import { createNominations } from './nominations.ts'
import { type ObjectSelection, selectionOf } from './object-selection.ts'
import { type CompleteKind, completeKinds, objectSources } from './object-sources.ts'
import { nodeDecoding, nodeDecodingWithoutImages, projectNode } from './project-node.ts'
import { projectPod } from './project-pod.ts'
import { createSharedValues } from './shared-values.ts'

/** Page size of the lists: few requests for a cluster of 5,000 nodes, with responses of tens of megabytes. */
export const SNAPSHOT_PAGE_SIZE = 2_500

/** Options of {@link snapshotCluster}. */
export interface SnapshotOptions {
  readonly signal?: AbortSignal
  /** The kinds to read in addition to nodes and pods. Default: all that decisions depend on. */
  readonly kinds?: readonly CompleteKind[]
  /** The ConfigMaps to read, as `namespace/name`. Default: none. */
  readonly configMaps?: Iterable<string>
  /** Read the images of nodes, which the plugin ImageLocality scores. Without them, large clusters are read faster. Default: true. */
  readonly needsImages?: boolean
  /**
   * Accept a partial snapshot: nodes may be missing, and a namespaced type whose list in all namespaces is forbidden is
   * read in this namespace only; it counts as empty when the namespace is empty. `forbidden` names what is missing.
   */
  readonly fallbackNamespace?: string
}

type Decoding = Pick<ListOptions, 'protobuf'>

/** The state of the cluster at one time. */
export interface ClusterSnapshot {
  /** The same state that a scheduler's view has: nodes, the pods that count on them, nominations, other objects. */
  readonly state: ClusterState
  readonly nodes: ReadonlyMap<string, Node>
  /** Every readable pod as the API server returned it, also those without a node. */
  readonly pods: readonly Pod[]
  /** Objects that cannot be read, such as `pods default/web` if an amount is not a quantity. They are omitted. */
  readonly unreadable: readonly string[]
  /**
   * Plurals of the resources that this identity may not list, such as `persistentvolumes`; `pods (other namespaces)` where
   * it may list them in the fallback namespace only. Results are then less certain.
   */
  readonly forbidden: readonly string[]
  /** The namespace that was read where `forbidden` says `(other namespaces)`. */
  readonly fallbackNamespace?: string
}

/**
 * Reads the cluster once, by lists without a watch. A kind that the server does not serve is empty. A kind that may not
 * be listed is empty, and `forbidden` names it. Nodes and pods must be readable unless a fallback namespace is given.
 *
 * @throws ApiError, TransportError for every other failed call
 */
export async function snapshotCluster(
  client: Pick<ApiClient, 'list'>,
  options: SnapshotOptions = {},
): Promise<ClusterSnapshot> {
  const { signal, kinds = completeKinds, configMaps = [], needsImages = true, fallbackNamespace } = options
  const call = { pageSize: SNAPSHOT_PAGE_SIZE, ...(signal !== undefined && { signal }) }
  const state = createClusterState()
  const nominations = createNominations(state)
  const nodes = new Map<string, Node>()
  const pods: Pod[] = []
  const unreadable: string[] = []
  const forbidden: string[] = []

  const addReadable = (name: string, add: () => void): void => {
    try {
      add()
    } catch {
      unreadable.push(name)
    }
  }
  const list = async <T>(ref: ResourceRef, only: ObjectSelection & Decoding = {}): Promise<readonly T[]> => {
    try {
      return (await client.list<T>(ref, { ...call, ...only })).items
    } catch (error) {
      if (isApiStatus(error, 404)) return []
      if (!isApiStatus(error, 403)) throw error
      return ref.namespaced && only.namespace === undefined && fallbackNamespace
        ? await listInFallback<T>(ref, fallbackNamespace)
        : refused(ref.plural)
    }
  }
  const listInFallback = async <T>(ref: ResourceRef, namespace: string): Promise<readonly T[]> => {
    try {
      const { items } = await client.list<T>(ref, { ...call, namespace })
      forbidden.push(otherNamespaces(ref.plural))
      return items
    } catch (error) {
      if (!isApiStatus(error, 403)) throw error
      return refused(ref.plural)
    }
  }
  const refused = (plural: string): readonly [] => {
    forbidden.push(plural)
    return []
  }
  const listRequired = async <T>(ref: ResourceRef, decoding: Decoding = {}): Promise<readonly T[]> =>
    fallbackNamespace === undefined
      ? (await client.list<T>(ref, { ...call, ...decoding })).items
      : list<T>(ref, decoding)
  const readKind = async <K extends ClusterObjectKind>(
    kind: K,
    only: ObjectSelection = {},
  ): Promise<readonly ClusterObjectKinds[K][]> => {
    const { ref, project } = objectSources[kind]
    const items = await list<ClusterObjectKinds[K]>(ref, only)
    for (const item of items) {
      addReadable(`${ref.plural} ${objectKey(item.metadata)}`, () => state.objects.set(kind, project(item)))
    }
    return items
  }
  const [nodeList, podList] = await Promise.all([
    listRequired<Node>(resourceRefs.nodes, { protobuf: needsImages ? nodeDecoding : nodeDecodingWithoutImages }),
    listRequired<Pod>(resourceRefs.pods),
    ...kinds.map((kind) => readKind(kind)),
    ...[...configMaps].map((key) => readKind('configMaps', selectionOf(key))),
  ])
  const shared = createSharedValues()
  for (const item of nodeList) {
    const { name = '' } = item.metadata
    addReadable(`nodes ${name}`, () => {
      const node = projectNode(item, shared)
      state.setNode(node)
      nodes.set(name, node)
    })
  }
  for (const item of podList)
    addReadable(`pods ${objectKey(item.metadata)}`, () => {
      nominations.applyPod(projectPod(item, shared))
      pods.push(item)
    })
  return {
    state,
    nodes,
    pods,
    unreadable,
    forbidden: [...new Set(forbidden)].toSorted(),
    ...(fallbackNamespace !== undefined && { fallbackNamespace }),
  }
}

/** How `forbidden` names a type of which only the objects of the fallback namespace were read. */
export function otherNamespaces(plural: string): string {
  return `${plural} (other namespaces)`
}
