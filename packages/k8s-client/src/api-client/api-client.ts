import type { ApiRequest, ApiResponse, KubernetesList, KubernetesObject, Node, Pod } from '@berth/types'
import type { ObjectName, ResourceRef } from '../api-conventions/resource-ref.ts'
import type { DecodeOptions } from '@berth/kube-schema/protobuf'
import type { CallOptions, CallPriority } from '../calls/call-options.ts'

/** Options of a list: what to read, and in which pages. */
export interface ListOptions extends CallOptions {
  /** Undefined means all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Objects in one response. A larger page needs fewer requests and more memory on both sides. Default: 500. */
  readonly pageSize?: number
  /**
   * How objects in protobuf are decoded. Without it, and where the client or the server prefers JSON, the list is read in JSON, which has
   * the fields of `skips`, too.
   */
  readonly protobuf?: DecodeOptions
}

/** Options of a write. */
export interface WriteOptions extends CallOptions {
  /** The manager that owns the written fields. Default: `berth`. */
  readonly fieldManager?: string
  readonly subresource?: string
  readonly dryRun?: boolean
}

/** `merge` (RFC 7386), `json` (RFC 6902), `strategic`, or `apply` (server-side apply). */
export type PatchType = 'merge' | 'json' | 'strategic' | 'apply'

/** Options of a patch. */
export interface PatchOptions extends WriteOptions {
  readonly type: PatchType
  /** Only for `apply`: take fields over from other managers. */
  readonly force?: boolean
}

/** Options of a deletion; `uid` and `resourceVersion` are preconditions. */
export interface DeleteOptions extends CallOptions {
  readonly uid?: string
  readonly resourceVersion?: string
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  readonly dryRun?: boolean
}

/** Options of {@link ApiClient.bind}. */
export interface BindOptions extends CallOptions {
  /** Merged into the pod's annotations in the same write. */
  readonly annotations?: Readonly<Record<string, string>>
}

/** The result of one bind call. Unless it is `bound`, the caller must read the pod to find out whether it is bound. */
export type BindOutcome =
  /** The server bound the pod. */
  | { readonly kind: 'bound' }
  /**
   * The server answered with an error. 404: the pod does not exist. 409: it is bound already, possibly by an earlier
   * call of this client, or its name belongs to another pod. 5xx: the server has stopped working on the call, but may
   * have bound the pod before it failed.
   */
  | { readonly kind: 'rejected'; readonly status: number; readonly message: string }
  /** The request did not reach the server, or was withheld by {@link CallOptions.mayStart}. */
  | { readonly kind: 'unsent'; readonly cause: unknown }
  /**
   * The response was lost, or the server timed out: the pod may be bound, and the server may still bind it within its
   * own time limit for requests (60 s by default).
   */
  | { readonly kind: 'unknown'; readonly cause: unknown }

/** Options of {@link ApiClient.evict}. */
export interface EvictOptions extends CallOptions {
  readonly gracePeriodSeconds?: number
  readonly dryRun?: boolean
}

/** The result of an eviction. `blocked`: a disruption budget forbids it for now. */
export type EvictOutcome =
  | { readonly kind: 'evicted' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'blocked'; readonly message: string; readonly retryAfterMs: number | undefined }

/** Options of {@link ApiClient.patchNodeStatus}. */
export interface NodeStatusPatchOptions extends CallOptions {
  /** If set, the server rejects the patch with 409 once the node has changed. */
  readonly resourceVersion?: string
  readonly fieldManager: string
}

/** The object after a write. A server that does not reduce its responses returns all of it. */
export type WrittenMetadata = Pick<Node, 'metadata'>

/**
 * The calls of the API. Each waits for the client's rate limit, retries what is safe to retry, and ends within
 * bounded time. Errors are {@link ApiError} (an error status) or {@link TransportError} (no complete response).
 */
export interface ApiClient {
  get<T = KubernetesObject>(resource: ResourceRef, target: ObjectName, options?: CallOptions): Promise<T>
  /** As `get`, but returns undefined if the object does not exist. */
  find<T = KubernetesObject>(resource: ResourceRef, target: ObjectName, options?: CallOptions): Promise<T | undefined>
  /** Returns every object, read page by page. */
  list<T = KubernetesObject>(resource: ResourceRef, options?: ListOptions): Promise<KubernetesList<T>>
  /** Creates the object in `object.metadata.namespace`. */
  create<T extends KubernetesObject>(resource: ResourceRef, object: T, options?: WriteOptions): Promise<T>
  /** Replaces the whole object. If it has a resourceVersion, the server rejects it with 409 once it has changed. */
  update<T extends KubernetesObject>(resource: ResourceRef, object: T, options?: WriteOptions): Promise<T>
  patch<T = KubernetesObject>(
    resource: ResourceRef,
    target: ObjectName,
    body: unknown,
    options: PatchOptions,
  ): Promise<T>
  /** Returns false if there was nothing to delete. */
  delete(resource: ResourceRef, target: ObjectName, options?: DeleteOptions): Promise<boolean>
  /**
   * Reads, changes and replaces an object, up to five times on 409. `change` returns undefined if nothing is to be
   * done.
   *
   * @returns The written object, or undefined if nothing was written.
   */
  modify<T extends KubernetesObject>(
    resource: ResourceRef,
    target: ObjectName,
    change: (current: T) => T | undefined,
    options?: WriteOptions,
  ): Promise<T | undefined>
  /** Calls the binding subresource; see {@link BindOutcome}. Never rejects. */
  bind(pod: Pod, nodeName: string, options?: BindOptions): Promise<BindOutcome>
  /** Evicts a pod through the eviction subresource, with its uid as precondition. */
  evict(pod: Pod, options?: EvictOptions): Promise<EvictOutcome>
  /**
   * Sends one merge patch to `nodes/status`; changes of the metadata in it are written, too. The server returns only the
   * metadata, because a node with its images has more than 10 KB.
   */
  patchNodeStatus(name: string, mergePatch: unknown, options: NodeStatusPatchOptions): Promise<WrittenMetadata>
  /** Sends a request under the rate limit, without retries and decoding; for watches and unusual endpoints. */
  raw(request: ApiRequest, priority?: CallPriority): Promise<ApiResponse>
}
