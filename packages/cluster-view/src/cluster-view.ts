import { createClusterState, type ClusterState } from '@berth/fit-engine'
import { resourceRefs, type CatchUpOptions, type Cluster, type ReflectorStats } from '@berth/k8s-client'
import { isBound, isTerminal } from '@berth/resources'
import type { Clock, ClusterObjectKind, ClusterObjectKinds, Logger, Node, Pod } from '@berth/types'
import { createAssumedObjects, type FindApiObject } from './assumed-objects.ts'
import { createAssumptions } from './assumptions.ts'
import type { ClusterChange } from './cluster-change.ts'
import { mirrorObjects } from './mirror-objects.ts'
import { createNominations } from './nominations.ts'
import { objectSources } from './object-sources.ts'
import { nodeDecoding, projectNode } from './project-node.ts'
import { podDecoding, projectPod } from './project-pod.ts'
import { createSharedValues } from './shared-values.ts'
import { isReady, notReadyReason } from './readiness.ts'

/** Bookmarks come once a minute; after three minutes without any event the view may be wrong. */
const DEFAULT_MAX_AGE_MS = 180_000
const DEFAULT_ASSUMPTION_MS = 120_000

/** Options of {@link startClusterView}. */
export interface ClusterViewOptions {
  readonly cluster: Pick<Cluster, 'reflect'>
  readonly log: Logger
  readonly clock: Clock
  /** The ConfigMaps that plugins read, as `namespace/name`; each is mirrored by a watch of its own. Default: none. */
  readonly configMaps?: Iterable<string>
  /** Maximum age of the view; no decision is possible with an older one. Default: 180 s. */
  readonly maxAgeMs?: number
  /** Called with each pod that cannot be read, as the server sent it, and the reason. The view does not contain it. */
  readonly onUnreadablePod?: (pod: Pod, cause: unknown) => void
}

/** Counters of a view. */
export interface ClusterViewStats {
  readonly pods: ReflectorStats
  readonly nodes: ReflectorStats
  /** The counters of every other kind, apart from ConfigMaps. */
  readonly objects: ReadonlyMap<ClusterObjectKind, ReflectorStats>
  /** Number of assumptions whose pod has not been seen bound yet. */
  readonly assumed: number
  /** Number of objects that are shown as they will be after a write. */
  readonly assumedObjects: number
  /** Number of assumptions that expired, because their pod was never seen bound. */
  readonly expiredAssumptions: number
  /** Number of exceptions thrown by listeners. */
  readonly listenerErrors: number
}

/** The cluster as this process knows it. API objects reach a {@link ClusterState} only through a view. */
export interface ClusterView extends AsyncDisposable {
  /** The state that decisions are based on: nodes, bound and assumed pods, nominations and other objects. */
  readonly state: ClusterState
  /** Waits until every resource has been read once. Rejects if `signal` aborts or the view is disposed first. */
  waitForSync(signal?: AbortSignal): Promise<void>
  /**
   * Waits until the view contains every write that the API server had accepted when this was called, or at `sinceMs`. Call it after
   * a leader election, so that no decision misses a write of the previous leader.
   */
  catchUp(options?: CatchUpOptions): Promise<void>
  /** Returns whether every resource has been read, and each watch has received something within `maxAgeMs`. */
  isSynced(): boolean
  /** Returns why no decision is possible: the unreadable resources and missing permissions. Undefined when synced. */
  notReady(): string | undefined
  /** Returns the age of the stalest resource in milliseconds; Infinity before everything has been read. */
  ageMs(): number
  /** Returns a pod by `namespace/name`, bound or not. */
  pod(name: string): Pod | undefined
  /** Returns every pod, bound or not, including terminated ones. */
  pods(): Iterable<Pod>
  nodes(): Iterable<Node>
  /**
   * Calls `listener` for every later change, after `state` was changed. It is not called for existing objects.
   *
   * @returns A function that ends the subscription.
   */
  subscribe(listener: (change: ClusterChange) => void): () => void
  /**
   * Counts the pod on the node until it is seen bound, is forgotten, or `expiresAfterMs` (default 120 s; Infinity:
   * never) pass.
   *
   * @throws StateError BERTH_FIT_ASSUMED_TWICE if the pod already counts on a node.
   */
  assume(pod: Pod, nodeName: string, options?: { readonly expiresAfterMs?: number }): void
  /** Undoes an assumption; does nothing if there is none. */
  forget(pod: Pod): void
  /** Returns an object as the API server last sent it, also while `state` has an assumed version. */
  apiObject: FindApiObject
  /**
   * Shows a changed object in `state` before the change is written, until the API server sends another version or
   * {@link ClusterView.restoreObject} is called.
   *
   * @returns False when the object is gone or has another resourceVersion; nothing is assumed then.
   */
  assumeObject<K extends ClusterObjectKind>(kind: K, object: ClusterObjectKinds[K]): boolean
  /** Undoes {@link ClusterView.assumeObject}. Returns whether the state changed. */
  restoreObject<K extends ClusterObjectKind>(kind: K, object: ClusterObjectKinds[K]): boolean
  /** Reserves a node for a waiting pod, until the status of the pod names another node or no longer names one. */
  nominate(pod: Pod, nodeName: string): void
  /** Undoes a nomination; does nothing if there is none. */
  clearNomination(pod: Pod): void
  /** Returns the node that is reserved for the pod. */
  nominatedNode(pod: Pod): string | undefined
  stats(): ClusterViewStats
}

/** Mirrors nodes, pods and all other objects that decisions depend on into a cluster state. */
export function startClusterView(options: ClusterViewOptions): ClusterView {
  const { cluster, log, clock } = options
  const maxAgeMs = options.maxAgeMs ?? DEFAULT_MAX_AGE_MS
  const state = createClusterState()
  const listeners = new Set<(change: ClusterChange) => void>()
  let listenerErrors = 0

  const notify = (change: ClusterChange): void => {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch (err) {
        listenerErrors += 1
        log.error({ err, change: change.kind }, 'A listener of the cluster view failed')
      }
    }
  }

  const shared = createSharedValues()
  const projectOrReport = (pod: Pod): Pod => {
    try {
      return projectPod(pod, shared)
    } catch (cause) {
      options.onUnreadablePod?.(pod, cause)
      throw cause
    }
  }
  const nodes = cluster.reflect<Node>(resourceRefs.nodes, {
    project: (node) => projectNode(node, shared),
    protobuf: nodeDecoding,
    isLarge: true,
  })
  const pods = cluster.reflect<Pod>(resourceRefs.pods, {
    project: projectOrReport,
    protobuf: podDecoding,
    isLarge: true,
  })
  const apiObject: FindApiObject = <K extends ClusterObjectKind>(kind: K, key: string) => {
    const mirror = kind === 'configMaps' ? objects.configMaps.get(key) : objects.byKind.get(kind)
    return mirror?.store.get(key) as ClusterObjectKinds[K] | undefined
  }
  const assumedObjects = createAssumedObjects(state, apiObject)
  const objects = mirrorObjects({
    cluster,
    state,
    configMaps: options.configMaps ?? [],
    assumed: assumedObjects,
    notify,
  })
  const mirrors = new Map([
    [resourceRefs.nodes.plural, nodes],
    [resourceRefs.pods.plural, pods],
    ...[...objects.byKind].map(([kind, reflector]) => [objectSources[kind].ref.plural, reflector] as const),
    ...[...objects.configMaps].map(([key, reflector]) => [`configmaps ${key}`, reflector] as const),
  ])
  const notReady = (): string | undefined => notReadyReason(mirrors, maxAgeMs)
  const isSynced = (): boolean => isReady(mirrors.values(), maxAgeMs)
  const assumptions = createAssumptions({ state, isFresh: isSynced, clock, log })
  const nominations = createNominations(state)

  const applyPod = (pod: Pod, old?: Pod): void => {
    nominations.applyPod(pod, old)
    if (isBound(pod) || isTerminal(pod)) assumptions.cancelExpiry(pod)
  }

  nodes.subscribe({
    onAdd(node) {
      state.setNode(node)
      notify({ kind: 'node-added', node })
    },
    onUpdate(old, node) {
      state.setNode(node)
      notify({ kind: 'node-updated', node, old })
    },
    onDelete(node) {
      state.deleteNode(node.metadata.name ?? '')
      notify({ kind: 'node-deleted', node })
    },
  })
  pods.subscribe({
    onAdd(pod) {
      applyPod(pod)
      notify({ kind: 'pod-added', pod })
    },
    onUpdate(old, pod) {
      applyPod(pod, old)
      notify({ kind: 'pod-updated', pod, old })
    },
    onDelete(pod) {
      assumptions.cancelExpiry(pod)
      nominations.forget(pod)
      state.deletePod(pod)
      notify({ kind: 'pod-deleted', pod })
    },
  })

  return {
    state,
    async waitForSync(signal) {
      await Promise.all([...mirrors.values()].map((mirror) => mirror.waitForSync(signal)))
    },
    async catchUp(catchUpOptions) {
      await Promise.all([...mirrors.values()].map((mirror) => mirror.catchUp(catchUpOptions)))
    },
    isSynced,
    notReady,
    ageMs: () => Math.max(...[...mirrors.values()].map((mirror) => mirror.lastEventAgeMs())),
    pod: (name) => pods.store.get(name),
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
    apiObject,
    assumeObject: (kind, object) => assumedObjects.assume(kind, object),
    restoreObject: (kind, object) => assumedObjects.restore(kind, object),
    nominate: (pod, nodeName) => nominations.nominate(pod, nodeName),
    clearNomination: (pod) => nominations.clearNomination(pod),
    nominatedNode: (pod) => nominations.nominatedNode(pod),
    stats: () => ({
      pods: pods.stats(),
      nodes: nodes.stats(),
      objects: new Map([...objects.byKind].map(([kind, reflector]) => [kind, reflector.stats()])),
      assumed: assumptions.size(),
      assumedObjects: assumedObjects.size,
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
