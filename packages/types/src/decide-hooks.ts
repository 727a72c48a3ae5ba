import type { ClusterObjectsReader } from './cluster-objects.ts'
import type { Node } from './node.ts'
import type { Pod } from './pod.ts'
import type { StatusCode } from './verdict.ts'

/**
 * Candidate nodes of one call: rows of the cluster state. `rows` is valid during the call only;
 * position `i` of every output array speaks of `rows[i]`, for `i < count`.
 */
export interface Candidates {
  readonly rows: Int32Array
  readonly count: number
}

/** Read access to the cluster state during one decision. Rows come from {@link Candidates}. */
export interface ClusterReader {
  /** Number of rows; rows of removed nodes are holes that no candidate names. */
  readonly rowCount: number
  nodeName(row: number): string
  node(row: number): Node
  /** Pods that count on the node: bound ones that did not end, and assumed ones. Order is not significant. */
  podsOn(row: number): readonly Pod[]
  /** Whole units, cpu in milli; 0n when the node does not offer it. */
  allocatable(row: number, resourceName: string): bigint
  /** Sum over the pods that count on the node; whole units, cpu in milli. */
  requested(row: number, resourceName: string): bigint
  /** What else the cluster holds: namespaces, services, volumes and so on. */
  readonly objects: ClusterObjectsReader
}

/** What a decide hook is given besides pod and candidates: everything of the world that it may know. */
export interface DecideContext {
  readonly cluster: ClusterReader
  /** Wall clock at the start of this scheduling cycle, milliseconds since the epoch. */
  readonly nowMs: number
  /** In [0, 1); seeded by the host, so that a decision can be replayed. */
  readonly random: () => number
  /** Shared by the hooks of one plugin within one cycle; empty at its start. */
  readonly state: Map<string, unknown>
}

/** Where a filter writes. Every position starts as Success. */
export interface FilterOutput {
  /** By position; longer than `count` as a rule. */
  readonly codes: Uint8Array
  /** Rejects candidate `i`. `reasons` are the sentences a person reads, at least one. */
  reject(i: number, code: StatusCode, ...reasons: readonly string[]): void
}

/** Answer of preFilter. `undefined` means: go on with every candidate. */
export type PreFilterResult =
  | undefined
  /** This plugin's filter has nothing to say about the pod: it is not called. */
  | { readonly kind: 'skip' }
  /** Only these nodes can fit. */
  | { readonly kind: 'narrow'; readonly nodeNames: ReadonlySet<string> }
  /** No node can fit. */
  | { readonly kind: 'reject'; readonly code: StatusCode; readonly reasons: readonly string[] }

/** Answer of preScore; `skip` means that score is not called and adds 0. */
export type PreScoreResult = undefined | { readonly kind: 'skip' }

/**
 * The decide hooks of a scheduling plugin: synchronous and pure. A hook that throws makes an Error status
 * that names the plugin. Names are those of kube-scheduler's extension points.
 */
export interface DecideHooks {
  /** Negative when `a` is to be scheduled before `b`. At most one plugin of a profile has it. */
  queueSort?(a: QueuedPod, b: QueuedPod): number
  preFilter?(pod: Pod, candidates: Candidates, context: DecideContext): PreFilterResult
  filter?(pod: Pod, candidates: Candidates, output: FilterOutput, context: DecideContext): void
  preScore?(pod: Pod, candidates: Candidates, context: DecideContext): PreScoreResult
  /**
   * Writes a score for each candidate into `scores`, which has exactly `count` places, all 0 at the start; it is valid
   * during the call only. Without normalizeScore a score must lie in 0..100.
   */
  score?(pod: Pod, candidates: Candidates, scores: Float64Array, context: DecideContext): void
  /** Brings the scores into 0..100, in place; `scores` is as `score` left it. */
  normalizeScore?(pod: Pod, candidates: Candidates, scores: Float64Array, context: DecideContext): void
}

/** What queueSort compares. */
export interface QueuedPod {
  readonly pod: Pod
  /** When it last entered the queue, milliseconds since the epoch. */
  readonly queuedAtMs: number
  readonly attempts: number
}

/** Decide hooks with the name that messages use: what the engine's framework runs. */
export interface DecidePlugin extends DecideHooks {
  readonly name: string
}

/** The highest normalised score of a node. */
export const MAX_NODE_SCORE = 100
