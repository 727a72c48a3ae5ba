import { pause } from '@berth/clock'
import type { Clock, KubernetesList, KubernetesObject, Logger } from '@berth/types'
import { KubeletApiError } from './kubelet-api-error.ts'
import type { ApiClient } from './api-client.ts'

/** Receives the changes of the objects in one group. */
export interface FeedListener<T> {
  set(object: T): void
  remove(object: T): void
}

/** Mirrors a collection by list and watch. Subscribers see only their own group of objects. */
export interface ObjectFeed<T> extends AsyncDisposable {
  /** Passes the current objects, then every change. Returns a function that ends the subscription. */
  subscribe(group: string, listener: FeedListener<T>): () => void
  get(group: string): readonly T[]
}

/** Options of {@link startObjectFeed}. */
export interface FeedOptions<T> {
  readonly api: ApiClient
  /** Collection path with query, e.g. `/api/v1/pods?fieldSelector=…`. */
  readonly path: string
  /** Returns the group of an object; undefined to ignore it. */
  readonly groupOf: (object: T) => string | undefined
  readonly clock: Clock
  readonly log: Logger
}

const RETRY_MS = 1000

/** Starts a feed. It lists and watches until it is disposed. */
export function startObjectFeed<T extends KubernetesObject>(options: FeedOptions<T>): ObjectFeed<T> {
  const { api, path, groupOf, clock, log } = options
  const groups = new Map<string, Map<string, T>>()
  const listeners = new Map<string, Set<FeedListener<T>>>()
  const stop = new AbortController()
  const separator = path.includes('?') ? '&' : '?'
  const keyOf = (object: T): string => object.metadata?.uid ?? object.metadata?.name ?? ''

  function set(fresh: T): void {
    const object = withoutManagedFields(fresh)
    const group = groupOf(object)
    if (group === undefined) return
    const members = groups.get(group) ?? new Map<string, T>()
    groups.set(group, members.set(keyOf(object), object))
    for (const listener of listeners.get(group) ?? []) listener.set(object)
  }

  function remove(object: T): void {
    const group = groupOf(object)
    if (group === undefined) return
    const members = groups.get(group)
    members?.delete(keyOf(object))
    if (members?.size === 0) groups.delete(group)
    for (const listener of listeners.get(group) ?? []) listener.remove(object)
  }

  async function list(): Promise<string> {
    const answer = await api.send<KubernetesList<T>>('GET', path)
    const listed = new Set(answer.items.map(keyOf))
    const removed = [...groups.values()].flatMap((members) =>
      [...members.values()].filter((o) => !listed.has(keyOf(o))),
    )
    for (const object of removed) remove(object)
    for (const object of answer.items) set(object)
    return answer.metadata.resourceVersion ?? '0'
  }

  async function follow(from: string): Promise<string> {
    let version = from
    const query = `${separator}watch=1&allowWatchBookmarks=true&resourceVersion=${version}`
    for await (const { type, object } of api.watch<T>(`${path}${query}`, stop.signal)) {
      if (type === 'ERROR') throw new KubeletApiError(`GET ${path}: the watch expired`, 410)
      version = object.metadata?.resourceVersion ?? version
      if (type === 'DELETED') remove(object)
      else if (type !== 'BOOKMARK') set(object)
    }
    return version
  }

  async function run(): Promise<void> {
    let version: string | undefined
    while (!stop.signal.aborted) {
      try {
        version = await follow(version ?? (await list()))
      } catch (error) {
        if (stop.signal.aborted) return
        log.debug({ err: error, path }, 'Watch of a simulated kubelet ended')
        version = undefined
      }
      if (!stop.signal.aborted) await pause(clock, RETRY_MS, stop.signal)
    }
  }
  const running = run()

  return {
    subscribe(group, listener) {
      const set = listeners.get(group) ?? new Set<FeedListener<T>>()
      listeners.set(group, set.add(listener))
      for (const object of groups.get(group)?.values() ?? []) listener.set(object)
      return () => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(group)
      }
    },
    get: (group) => [...(groups.get(group)?.values() ?? [])],
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

/** Drops the managed fields: they are a large part of an object, and the kubelet does not use them. */
function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
