import { createClusterState, objectKey, type ClusterState } from '@berth/fit-engine'
import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { ClusterObjectKind, ClusterObjectKinds, Node, Pod } from '@berth/types'
import { createNominations } from './nominations.ts'
import { type ObjectSelection, selectionOf } from './object-selection.ts'
import { type CompleteKind, completeKinds, objectSources } from './object-sources.ts'
import { projectNode } from './project-node.ts'
import { projectPod } from './project-pod.ts'

/** Options of {@link snapshotCluster}. */
export interface SnapshotOptions {
  readonly signal?: AbortSignal
  /** The kinds to read in addition to nodes and pods. Default: all that decisions depend on. */
  readonly kinds?: readonly CompleteKind[]
  /** The ConfigMaps to read, as `namespace/name`. Default: none. */
  readonly configMaps?: Iterable<string>
}

/** The state of the cluster at one time. */
export interface ClusterSnapshot {
  /** The state as in the view of a scheduler: nodes, the pods that count on them, nominations, other objects. */
  readonly state: ClusterState
  readonly nodes: ReadonlyMap<string, Node>
  /** Every readable pod as the API server returned it, also those without a node. */
  readonly pods: readonly Pod[]
  /** Objects that cannot be read, such as `pods default/web` if an amount is not a quantity. They are omitted. */
  readonly unreadable: readonly string[]
  /** Plurals of the resources that this identity may not list; results are then less certain. */
  readonly forbidden: readonly string[]
}

/**
 * Reads the cluster once, by lists without a watch. A kind that the server does not serve is empty. A kind that may not
 * be listed is empty, and `forbidden` names it. Nodes and pods must be readable.
 *
 * @throws ApiError, TransportError for every other failed call
 */
export async function snapshotCluster(
  client: Pick<ApiClient, 'list'>,
  options: SnapshotOptions = {},
): Promise<ClusterSnapshot> {
  const { signal, kinds = completeKinds, configMaps = [] } = options
  const call = signal === undefined ? {} : { signal }
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
  const list = async <T>(ref: ResourceRef, only: ObjectSelection): Promise<readonly T[]> => {
    try {
      return (await client.list<T>(ref, { ...call, ...only })).items
    } catch (error) {
      if (isApiStatus(error, 403)) forbidden.push(ref.plural)
      else if (!isApiStatus(error, 404)) throw error
      return []
    }
  }
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
    client.list<Node>(resourceRefs.nodes, call),
    client.list<Pod>(resourceRefs.pods, call),
    ...kinds.map((kind) => readKind(kind)),
    ...[...configMaps].map((key) => readKind('configMaps', selectionOf(key))),
  ])
  for (const item of nodeList.items) {
    const { name = '' } = item.metadata
    addReadable(`nodes ${name}`, () => {
      const node = projectNode(item)
      state.setNode(node)
      nodes.set(name, node)
    })
  }
  for (const item of podList.items)
    addReadable(`pods ${objectKey(item.metadata)}`, () => {
      nominations.applyPod(projectPod(item))
      pods.push(item)
    })
  return { state, nodes, pods, unreadable, forbidden: [...new Set(forbidden)].toSorted() }
}
