import { createClusterState, type ClusterState } from '@berth/fit-engine'
import { resourceRefs, type Cluster, type ReflectorStats } from '@berth/k8s-client'
import { isTerminal } from '@berth/resources'
import type { Clock, ClusterObjectKind, Logger, Node, Pod } from '@berth/types'
import { createAssumptions } from './assumptions.ts'
import type { ClusterChange } from './cluster-change.ts'
import { mirrorObjects } from './mirror-objects.ts'
import { createNominations } from './nominations.ts'
import { objectSources } from './object-kinds.ts'
import { projectNode, projectPod } from './project-object.ts'
import { isReady, unreadiness } from './readiness.ts'

/** Bookmarks come once a minute; three minutes without any news mean that the view may be wrong. */
const DEFAULT_MAX_AGE_MS = 180_000
const DEFAULT_ASSUMPTION_MS = 120_000

/** What {@link startClusterView} needs. */
export interface ClusterViewOptions {
  readonly cluster: Pick<Cluster, 'reflect'>
  readonly log: Logger
  readonly clock: Clock
  /** Older than this the view counts as out of date. Default: 180 s. */
  readonly maxAgeMs?: number
}

/** Counts of a view. */
export interface ClusterViewStats {
  readonly pods: ReflectorStats
  readonly nodes: ReflectorStats
  /** Of every other kind. */
  readonly objects: ReadonlyMap<ClusterObjectKind, ReflectorStats>
  /** Assumptions that wait for their pod to be seen bound. */
  readonly assumed: number
  /** Assumptions that were forgotten because nobody confirmed them. */
  readonly expiredAssumptions: number
  /** Exceptions thrown by listeners. */
  readonly listenerErrors: number
}

/** The cluster as this process knows it. The only way in which API objects reach a {@link ClusterState}. */
export interface ClusterView extends AsyncDisposable {
  /** What decisions are made on: nodes, bound and assumed pods, nominations, and the objects besides. */
  readonly state: ClusterState
  /** Waits until every resource has been read once. Rejects when `signal` aborts or the view is disposed. */
  waitForSync(signal?: AbortSignal): Promise<void>
  /** Whether every resource has been read, and the server has been heard of within `maxAgeMs`. */
  isSynced(): boolean
  /** Why nothing can be decided: what could not be read, with the missing permission; undefined when synced. */
  notReady(): string | undefined
  /** Milliseconds since the server was last heard of, by the quietest of all watches; Infinity before the first time. */
  ageMs(): number
  /** A pod by `namespace/name`, bound or not. */
  pod(key: string): Pod | undefined
  /** Every pod, bound or not, ended ones included. */
  pods(): Iterable<Pod>
  nodes(): Iterable<Node>
  /**
   * Calls `listener` for every later change, after `state` was changed. What exists already is not repeated.
   *
   * @returns Ends the subscription.
   */
  subscribe(listener: (change: ClusterChange) => void): () => void
  /**
   * Lets the pod count on the node until it is seen bound, is forgotten, or `expiresAfterMs` (default 120 s) pass.
   *
   * @throws StateError BERTH_FIT_ASSUMED_TWICE when the pod already counts somewhere.
   */
  assume(pod: Pod, nodeName: string, options?: { readonly expiresAfterMs?: number }): void
  /** Takes an assumption back; does nothing where there is none. */
  forget(pod: Pod): void
  /** Keeps a node free for a waiting pod, until its status names another one, or none any more. */
  nominate(pod: Pod, nodeName: string): void
  /** Takes a nomination back; does nothing where there is none. */
  clearNomination(pod: Pod): void
  /** The node that is kept free for the pod. */
  nominatedNode(pod: Pod): string | undefined
  stats(): ClusterViewStats
}

/** Starts to mirror nodes, pods and everything else that decisions depend on into a cluster state. */
export function startClusterView(options: ClusterViewOptions): ClusterView {
  const { cluster, log, clock } = options
  const maxAgeMs = options.maxAgeMs ?? DEFAULT_MAX_AGE_MS
  const state = createClusterState()
  const listeners = new Set<(change: ClusterChange) => void>()
  let listenerErrors = 0

  const tell = (change: ClusterChange): void => {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch (err) {
        listenerErrors += 1
        log.error({ err, change: change.kind }, 'A listener of the cluster view failed')
      }
    }
  }

  const nodes = cluster.reflect<Node>(resourceRefs.nodes, { project: projectNode, isLarge: true })
  const pods = cluster.reflect<Pod>(resourceRefs.pods, { project: projectPod, isLarge: true })
  const objects = mirrorObjects(cluster, state, tell)
  const mirrors = new Map([
    [resourceRefs.nodes.plural, nodes],
    [resourceRefs.pods.plural, pods],
    ...[...objects].map(([kind, reflector]) => [objectSources[kind].ref.plural, reflector] as const),
  ])
  const notReady = (): string | undefined => unreadiness(mirrors, maxAgeMs)
  const isSynced = (): boolean => isReady(mirrors.values(), maxAgeMs)
  const assumptions = createAssumptions({ state, isFresh: isSynced, clock, log })
  const nominations = createNominations(state)

  const place = (pod: Pod, old?: Pod): void => {
    nominations.place(pod, old)
    if ((pod.spec.nodeName ?? '') !== '' || isTerminal(pod)) assumptions.settle(pod)
  }

  nodes.subscribe({
    onAdd(node) {
      state.setNode(node)
      tell({ kind: 'node-added', node })
    },
    onUpdate(old, node) {
      state.setNode(node)
      tell({ kind: 'node-updated', node, old })
    },
    onDelete(node) {
      state.deleteNode(node.metadata.name ?? '')
      tell({ kind: 'node-deleted', node })
    },
  })
  pods.subscribe({
    onAdd(pod) {
      place(pod)
      tell({ kind: 'pod-added', pod })
    },
    onUpdate(old, pod) {
      place(pod, old)
      tell({ kind: 'pod-updated', pod, old })
    },
    onDelete(pod) {
      assumptions.settle(pod)
      nominations.drop(pod)
      state.deletePod(pod)
      tell({ kind: 'pod-deleted', pod })
    },
  })

  return {
    state,
    async waitForSync(signal) {
      await Promise.all([...mirrors.values()].map((mirror) => mirror.waitForSync(signal)))
    },
    isSynced,
    notReady,
    ageMs: () => Math.max(...[...mirrors.values()].map((mirror) => mirror.lastEventAgeMs())),
    pod: (key) => pods.store.get(key),
    pods: () => pods.store.values(),
    nodes: () => nodes.store.values(),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    assume(pod, nodeName, assumeOptions) {
      assumptions.assume(pod, nodeName, assumeOptions?.expiresAfterMs ?? DEFAULT_ASSUMPTION_MS)
    },
    forget: (pod) => assumptions.forget(pod),
    nominate: (pod, nodeName) => nominations.nominate(pod, nodeName),
    clearNomination: (pod) => nominations.clearNomination(pod),
    nominatedNode: (pod) => nominations.nodeOf(pod),
    stats: () => ({
      pods: pods.stats(),
      nodes: nodes.stats(),
      objects: new Map([...objects].map(([kind, reflector]) => [kind, reflector.stats()])),
      assumed: assumptions.size(),
      expiredAssumptions: assumptions.expired(),
      listenerErrors,
    }),
    async [Symbol.asyncDispose]() {
      assumptions.clear()
      listeners.clear()
      await Promise.all([...mirrors.values()].map((mirror) => mirror[Symbol.asyncDispose]()))
    },
  }
}
