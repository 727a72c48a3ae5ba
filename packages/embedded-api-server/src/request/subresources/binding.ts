import type { ApiResponse } from '@berth/types'
import { keyOf, withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { isObject, listAt, objectAt, stringAt, withValueAt, type JsonObject } from '../../schema/json/json-object.ts'
import { badRequest, conflict, storageConflict, untypedError } from '../../schema/status/api-errors.ts'
import { bodyObject } from '../content/read-body.ts'
import { isDryRun, type ResourceRequest } from '../../resources/context/resource-request.ts'
import { jsonResponse } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { requireObject } from '../verbs/read.ts'

const TOPOLOGY_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']

/**
 * POST pods/NAME/binding: assigns a pod to a node. Checks neither that the node exists nor that the pod fits.
 *
 * @see kubernetes pkg/registry/core/pod/storage/storage.go BindingREST (v1.36)
 */
export function bindPod(context: ServerContext, request: ResourceRequest): ApiResponse {
  return bindToNode(context, request, bodyObject(request))
}

/** POST bindings, the older path. The binding names the pod. */
export function createBinding(context: ServerContext, request: ResourceRequest): ApiResponse {
  const binding = bodyObject(request)
  const name = stringAt(binding, 'metadata', 'name')
  return bindToNode(context, { ...request, name, subresource: 'binding' }, binding)
}

function bindToNode(context: ServerContext, request: ResourceRequest, binding: JsonObject): ApiResponse {
  const target = stringAt(binding, 'target', 'name')
  const targetKind = stringAt(binding, 'target', 'kind')
  const name = stringAt(binding, 'metadata', 'name')
  if (name !== request.name) throw badRequest('name in URL does not match name in Binding object')
  if (targetKind !== '' && targetKind !== 'Node') {
    throw untypedError(
      `target.kind: Unsupported value: ${JSON.stringify(targetKind)}: supported values: "Node", "<empty>"`,
    )
  }
  if (target === '') throw untypedError('target.name: Required value')
  const pod = requireObject(context, request)
  requireBindable(request, pod, objectAt(binding, 'metadata'))
  // As upstream, a binding does not record a field manager.
  const next = withNode(context, pod, { node: target, metadata: objectAt(binding, 'metadata') })
  if (!isDryRun(request)) context.store.collection('/pods').put(keyOf(pod), next)
  return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

function requireBindable(request: ResourceRequest, pod: ApiObject, given: object): void {
  const { name = '', uid, resourceVersion, deletionTimestamp } = pod.metadata
  const expectedUid = stringAt(given, 'uid')
  if (expectedUid !== '' && expectedUid !== uid) {
    throw storageConflict(request.kind, pod.metadata, `UID in precondition: ${expectedUid}, UID in object meta: ${uid}`)
  }
  const expectedVersion = stringAt(given, 'resourceVersion')
  if (expectedVersion !== '' && expectedVersion !== resourceVersion) {
    throw storageConflict(
      request.kind,
      pod.metadata,
      `ResourceVersion in precondition: ${expectedVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    )
  }
  const resource = { ...request.kind, plural: 'pods/binding' }
  if (deletionTimestamp !== undefined)
    throw conflict(resource, name, `pod ${name} is being deleted, cannot be assigned to a host`)
  const node = stringAt(pod, 'spec', 'nodeName')
  if (node !== '') throw conflict(resource, name, `pod ${name} is already assigned to node ${JSON.stringify(node)}`)
  if (listAt(pod, 'spec', 'schedulingGates').length > 0) {
    throw conflict(resource, name, `pod ${name} has non-empty .spec.schedulingGates`)
  }
}

function withNode(
  context: ServerContext,
  pod: ApiObject,
  to: { readonly node: string; readonly metadata: object },
): ApiObject {
  const annotations = { ...pod.metadata.annotations, ...objectAt(to.metadata, 'annotations') }
  const nodeLabels = context.store.collection('/nodes').get(to.node)?.metadata.labels ?? {}
  const topology = Object.fromEntries(
    TOPOLOGY_LABELS.flatMap((key) => (Object.hasOwn(nodeLabels, key) ? [[key, nodeLabels[key] ?? '']] : [])),
  )
  const labels = { ...pod.metadata.labels, ...topology, ...objectAt(to.metadata, 'labels') }
  const bound = withValueAt(
    withMetadata(pod, {
      annotations:
        Object.keys(annotations).length === 0 ? undefined : (annotations as Readonly<Record<string, string>>),
      labels: Object.keys(labels).length === 0 ? undefined : (labels as Readonly<Record<string, string>>),
    }),
    ['spec', 'nodeName'],
    to.node,
  )
  const cleared = withValueAt(bound, ['status', 'nominatedNodeName'], undefined)
  const condition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(context.clock),
  }
  const others = listAt(cleared, 'status', 'conditions').filter(
    (each) => isObject(each) && each['type'] !== 'PodScheduled',
  )
  return withValueAt(cleared, ['status', 'conditions'], [...others, condition])
}
