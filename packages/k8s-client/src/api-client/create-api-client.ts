import type { KubernetesList, KubernetesObject } from '@berth/types'
import { bindPod } from './bind-pod.ts'
import type { Call, RestClient } from '../calls/rest-client.ts'
import type {
  ApiClient,
  DeleteOptions,
  ListOptions,
  PatchOptions,
  PatchType,
  WriteOptions,
  WrittenMetadata,
} from './api-client.ts'
import type { CallOptions } from '../calls/call-options.ts'
import { isApiStatus } from '../errors/api-error.ts'
import { evictPod } from './evict-pod.ts'
import { listDecoder } from './list-decoder.ts'
import {
  apiVersionOf,
  collectionPath,
  objectPath,
  withQuery,
  type ObjectName,
  type ResourceRef,
} from '../api-conventions/resource-ref.ts'

const PAGE_SIZE = 500
const MODIFY_ATTEMPTS = 5
const DEFAULT_FIELD_MANAGER = 'berth'

const CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML, so a JSON body is a valid apply patch.
  apply: 'application/apply-patch+yaml',
}

/** Creates an {@link ApiClient} that sends its calls through a {@link RestClient}. */
export function createApiClient(rest: RestClient): ApiClient {
  const get = <T>(resource: ResourceRef, target: ObjectName, options: CallOptions = {}): Promise<T> =>
    rest.json<T>({ ...callOf('get', resource, target, options), method: 'GET', path: objectPath(resource, target) })

  const find = <T>(resource: ResourceRef, target: ObjectName, options?: CallOptions): Promise<T | undefined> =>
    undefinedIfAbsent(get<T>(resource, target, options))

  const update = <T extends KubernetesObject>(
    resource: ResourceRef,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> => {
    const target = nameOf(object)
    const path = withQuery(objectPath(resource, target, options.subresource), writeQuery(options))
    const body = withKind(resource, object)
    return rest.json<T>({ ...callOf('update', resource, target, options), method: 'PUT', path, body })
  }

  const patch = <T>(
    resource: ResourceRef,
    target: ObjectName,
    body: unknown,
    options: PatchOptions & { readonly returnsMetadata?: boolean },
  ): Promise<T> => {
    const force = options.type === 'apply' && options.force === true ? 'true' : undefined
    const path = withQuery(objectPath(resource, target, options.subresource), { ...writeQuery(options), force })
    const contentType = CONTENT_TYPES[options.type]
    const call = { ...callOf('patch', resource, target, options), method: 'PATCH', path, body, contentType } as const
    return rest.json<T>(options.returnsMetadata === true ? { ...call, returnsMetadata: true } : call)
  }

  return {
    get,
    find,
    update,
    patch,
    async list<T>(resource: ResourceRef, options: ListOptions = {}): Promise<KubernetesList<T>> {
      const { labelSelector, fieldSelector, namespace, pageSize = PAGE_SIZE, protobuf } = options
      const decode = protobuf === undefined ? undefined : listDecoder(resource, protobuf)
      const call = {
        ...callOf('list', resource, { namespace, name: '' }, options),
        ...(decode !== undefined && { decode }),
      }
      let items: T[] = []
      let limit: string | undefined = String(pageSize)
      let next: string | undefined
      for (;;) {
        const query = { labelSelector, fieldSelector, limit, continue: next }
        const path = withQuery(collectionPath(resource, namespace), query)
        let page: KubernetesList<T>
        try {
          page = await rest.json<KubernetesList<T>>({ ...call, method: 'GET', path })
        } catch (error) {
          if (next === undefined || limit === undefined || !isApiStatus(error, 410)) throw error
          // The pages read so far are outdated: read everything again in one response, which cannot expire.
          items = []
          limit = next = undefined
          continue
        }
        // Go writes an empty list as null.
        for (const item of (page.items as readonly T[] | null) ?? []) items.push(item)
        next = page.metadata.continue === '' ? undefined : page.metadata.continue
        if (next === undefined) return { ...page, items }
      }
    },
    create<T extends KubernetesObject>(resource: ResourceRef, object: T, options: WriteOptions = {}) {
      const target = nameOf(object)
      const namespace = resource.namespaced ? (target.namespace ?? 'default') : undefined
      const base =
        options.subresource === undefined
          ? collectionPath(resource, namespace)
          : objectPath(resource, target, options.subresource)
      const path = withQuery(base, writeQuery(options))
      const body = options.subresource === undefined ? withKind(resource, object) : object
      return rest.json<T>({ ...callOf('create', resource, target, options), method: 'POST', path, body })
    },
    async delete(resource, target, options: DeleteOptions = {}) {
      const path = objectPath(resource, target)
      const call: Call = {
        ...callOf('delete', resource, target, options),
        method: 'DELETE',
        path,
        body: deletion(options),
      }
      return (await undefinedIfAbsent(rest.json<unknown>(call))) !== undefined
    },
    async modify<T extends KubernetesObject>(
      resource: ResourceRef,
      target: ObjectName,
      change: (current: T) => T | undefined,
      options: WriteOptions = {},
    ) {
      // The whole object is read: that needs another permission than to write its subresource.
      const { subresource: _, ...reading } = options
      for (let attempt = 1; ; attempt++) {
        const changed = change(await get<T>(resource, target, reading))
        if (changed === undefined) return undefined
        try {
          return await update(resource, changed, options)
        } catch (error) {
          if (!isApiStatus(error, 409) || attempt >= MODIFY_ATTEMPTS) throw error
        }
      }
    },
    bind: (pod, nodeName, options) => bindPod(rest, pod, nodeName, options),
    evict: (pod, options) => evictPod(rest, pod, options),
    patchNodeStatus(name, mergePatch, options) {
      const { resourceVersion, ...rest } = options
      const body = resourceVersion === undefined ? mergePatch : withResourceVersion(mergePatch, resourceVersion)
      const nodes: ResourceRef = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }
      const writing = { ...rest, type: 'merge', subresource: 'status', returnsMetadata: true } as const
      return patch<WrittenMetadata>(nodes, { name }, body, writing)
    },
    raw: (request, priority) => rest.raw(request, priority),
  }
}

function callOf(
  verb: string,
  resource: ResourceRef,
  target: ObjectName,
  options: WriteOptions,
): Pick<Call, 'subject' | keyof CallOptions> {
  const plural = options.subresource === undefined ? resource.plural : `${resource.plural}/${options.subresource}`
  const prefix = resource.namespaced && target.namespace !== undefined ? `${target.namespace}/` : ''
  const object = `${prefix}${target.name}`
  return {
    subject: { verb, resource: plural, group: resource.group, ...(object === '' ? {} : { object }) },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.priority === undefined ? {} : { priority: options.priority }),
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
    ...(options.mayStart === undefined ? {} : { mayStart: options.mayStart }),
    ...(options.retriesThrottled === undefined ? {} : { retriesThrottled: options.retriesThrottled }),
  }
}

function writeQuery(options: WriteOptions): Readonly<Record<string, string | undefined>> {
  return {
    fieldManager: options.fieldManager ?? DEFAULT_FIELD_MANAGER,
    dryRun: options.dryRun === true ? 'All' : undefined,
  }
}

function nameOf(object: KubernetesObject): ObjectName {
  return { namespace: object.metadata?.namespace, name: object.metadata?.name ?? object.metadata?.generateName ?? '' }
}

function withKind<T extends KubernetesObject>(resource: ResourceRef, object: T): T {
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind }
}

function deletion(options: DeleteOptions): unknown {
  const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy, dryRun } = options
  const hasPreconditions = uid !== undefined || resourceVersion !== undefined
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds,
    propagationPolicy,
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
    ...(hasPreconditions ? { preconditions: { uid, resourceVersion } } : {}),
  }
}

function withResourceVersion(patch: unknown, resourceVersion: string): unknown {
  const given = typeof patch === 'object' && patch !== null ? (patch as { readonly metadata?: object }) : {}
  return { ...given, metadata: { ...given.metadata, resourceVersion } }
}

async function undefinedIfAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (isApiStatus(error, 404)) return undefined
    throw error
  }
}
