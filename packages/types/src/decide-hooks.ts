import type { ClusterEvent } from './cluster-event.ts'
import type { ClusterObjectsReader } from './cluster-objects.ts'
import type { Node } from './node.ts'
import type { Pod } from './pod.ts'
import type { StatusCode } from './verdict.ts'

/**
 * The candidate nodes of one call, as rows of the cluster state. `rows` is valid only during the call. Position `i` of
 * each output array belongs to `rows[i]`, for `i < count`.
 */
export interface Candidates {
  readonly rows: Int32Array
  readonly count: number
}

/** Read access to the cluster state during one decision. Rows come from {@link Candidates}. */
export interface ClusterReader {
  /** Number of rows. Rows of removed nodes are holes and never candidates. */
  readonly rowCount: number
  nodeName(row: number): string
  node(row: number): Node
  /** Returns the bound pods that have not ended and the assumed pods of the node, in no particular order. */
  podsOn(row: number): readonly Pod[]
  /** Returns the allocatable amount in whole units, cpu in milli; 0n when the node does not offer the resource. */
  allocatable(row: number, resourceName: string): bigint
  /** Returns the sum of the requests of `podsOn`, in whole units, cpu in milli. */
  requested(row: number, resourceName: string): bigint
  /** Returns how much of the resource the pod requests, in whole units, cpu in milli; 0n when it requests none. */
  requestOf(pod: Pod, resourceName: string): bigint
  /**
   * Returns the sum of the requests of all bound and assumed pods of the namespace that have not ended, on any node, in
   * whole units, cpu in milli.
   */
  requestedInNamespace(namespace: string, resourceName: string): bigint
  /** The other objects of the cluster: namespaces, services, volumes and so on. */
  readonly objects: ClusterObjectsReader
}

/** Context of a decide hook: everything that it may use besides the pod and the candidates. */
export interface DecideContext {
  readonly cluster: ClusterReader
  /** Time at the start of this scheduling cycle, milliseconds since the epoch. */
  readonly nowMs: number
  /** Returns a number in [0, 1). The host seeds it, so that a decision can be replayed. */
  readonly random: () => number
  /** State that the hooks of one plugin share within one cycle. Empty at the start of the cycle. */
  readonly state: Map<string, unknown>
}

/** Output of a filter. Each position starts as Success. */
export interface FilterOutput {
  /** Codes by position, valid only during the call. The array is usually longer than `count`. */
  readonly codes: Uint8Array
  /** Rejects candidate `i` with at least one readable reason. */
  reject(i: number, code: StatusCode, ...reasons: readonly string[]): void
}

/** Result of preFilter. `undefined` continues with all candidates. */
export type PreFilterResult =
  | undefined
  /** The filter of this plugin does not apply to the pod and is not called. */
  | { readonly kind: 'skip' }
  /** Only these nodes can fit the pod. */
  | { readonly kind: 'narrow'; readonly nodeNames: ReadonlySet<string> }
  /** No node can fit the pod. */
  | { readonly kind: 'reject'; readonly code: StatusCode; readonly reasons: readonly string[] }

/** Result of preScore. With `skip`, score is not called and adds 0. */
export type PreScoreResult = undefined | { readonly kind: 'skip' }

/** Result of preEnqueue: why the pod must not be attempted yet. `undefined` lets it into the queue. */
export type PreEnqueueResult = undefined | { readonly kind: 'reject'; readonly reasons: readonly string[] }

/**
 * The decide hooks of a scheduling plugin: synchronous and pure. An error in a hook becomes an Error status that names
 * the plugin. The names are those of kube-scheduler's extension points.
 */
export interface DecideHooks {
  /**
   * Called before a pod may be attempted, and again after an event that may help it. A pod that is held back stays Pending
   * without an attempt.
   */
  preEnqueue?(pod: Pod): PreEnqueueResult
  /**
   * Returns whether an event may help a pod that this plugin rejected or held back. Without this hook every event does. It
   * may return true too often, which costs an attempt, but never false wrongly, which leaves the pod waiting.
   */
  queueingHint?(pod: Pod, event: ClusterEvent): boolean
  /** Returns a negative number when `a` is scheduled before `b`. At most one plugin of a profile has this hook. */
  queueSort?(a: QueuedPod, b: QueuedPod): number
  preFilter?(pod: Pod, candidates: Candidates, context: DecideContext): PreFilterResult
  filter?(pod: Pod, candidates: Candidates, output: FilterOutput, context: DecideContext): void
  preScore?(pod: Pod, candidates: Candidates, context: DecideContext): PreScoreResult
  /**
   * Writes the score of each candidate into `scores`, which has exactly `count` entries, all 0 at the start, and is valid
   * only during the call. Without normalizeScore, a score must be in 0..100.
   */
  score?(pod: Pod, candidates: Candidates, scores: Float64Array, context: DecideContext): void
  /** Scales the scores that `score` wrote to 0..100, in place. */
  normalizeScore?(pod: Pod, candidates: Candidates, scores: Float64Array, context: DecideContext): void
  /**
   * Returns annotations for the pod, or `undefined` for none. Called once the node of `row` is chosen, in the same turn
   * in which the pod is counted there: no other pod is decided in between. From then on, the filters of the next pods see
   * the annotations on this pod. They are part of the Binding, from which the API server copies them to the pod. An error
   * fails the attempt. The values have at most 1,024 characters.
   */
  bindingAnnotations?(pod: Pod, row: number, context: DecideContext): Readonly<Record<string, string>> | undefined
}

/** A pod in the scheduling queue, as queueSort compares it. */
export interface QueuedPod {
  readonly pod: Pod
  /** Time at which it was first seen or its last attempt ended, milliseconds since the epoch. */
  readonly queuedAtMs: number
  readonly attempts: number
}

/** Decide hooks with the plugin name for messages, as the engine's framework runs them. */
export interface DecidePlugin extends DecideHooks {
  readonly name: string
  /** Whether the plugin is not built in: messages for people merge its reasons when they are many. Default: false. */
  readonly isContributed?: boolean
  /** The ConfigMaps that the plugin reads, as `namespace/name`. A change of one retries the pods that it rejected. */
  readonly configMaps?: readonly string[]
}

/** The highest normalized score of a node. */
export const MAX_NODE_SCORE = 100
