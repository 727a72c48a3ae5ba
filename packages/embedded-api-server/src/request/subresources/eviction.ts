import type { ApiResponse, LabelSelector } from '@berth/types'
import { keyOf, type ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, objectAt, stringAt, valueAt, withValueAt } from '../../schema/json/json-object.ts'
import { badRequest, evictionDenied, untypedError } from '../../schema/status/api-errors.ts'
import { isReady } from '../../resources/pods/pod-readiness.ts'
import { labelMatcher } from '../../resources/selectors/label-selector.ts'
import { bodyObject } from '../content/read-body.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import { jsonResponse } from '../content/responses.ts'
import type { DeleteOptions } from '../../resources/context/object-writer.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { deleteOptionsOf, removeObject } from '../verbs/delete.ts'
import { requireObject } from '../verbs/read.ts'

const BUDGETS = 'policy/poddisruptionbudgets'

/**
 * POST pods/NAME/eviction: deletes a pod unless a disruption budget forbids it.
 *
 * @see kubernetes pkg/registry/core/pod/storage/eviction.go (v1.36)
 */
export function evictPod(context: ServerContext, request: ResourceRequest): ApiResponse {
  const eviction = bodyObject(request)
  if (stringAt(eviction, 'metadata', 'name') !== request.name) {
    throw badRequest('name in URL does not match name in Eviction object')
  }
  const pod = requireObject(context, request)
  const options = deleteOptionsOf(request, objectAt(eviction, 'deleteOptions'))
  const phase = stringAt(pod, 'status', 'phase')
  const ignoresBudgets =
    phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined
  if (!ignoresBudgets) consumeDisruption(context, pod, options)
  const marked = options.isDryRun === true || ignoresBudgets ? pod : markDisruptionTarget(context, pod)
  removeObject(context, request, marked, options)
  return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

// Records on the pod that an eviction ends it.
function markDisruptionTarget(context: ServerContext, pod: ApiObject): ApiObject {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(context.clock),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  const others = listAt(pod, 'status', 'conditions').filter((each) => stringAt(each, 'type') !== condition.type)
  const next = withValueAt(pod, ['status', 'conditions'], [...others, condition])
  return context.store.collection('/pods').put(keyOf(pod), next)
}

/** Uses up one allowed disruption of the pod's budget, except in dry run. Refuses the eviction when there is none. */
function consumeDisruption(context: ServerContext, pod: ApiObject, { isDryRun = false }: DeleteOptions): void {
  const budget = budgetOf(context, pod)
  if (budget === undefined) return
  const allowed = numberAt(budget, 'status', 'disruptionsAllowed') ?? 0
  const current = numberAt(budget, 'status', 'currentHealthy') ?? 0
  const desired = numberAt(budget, 'status', 'desiredHealthy') ?? 0
  if (!isReady(pod)) {
    const policy = stringAt(budget, 'spec', 'unhealthyPodEvictionPolicy')
    if (policy === 'AlwaysAllow' || (current >= desired && desired > 0)) return
  }
  if (allowed <= 0) {
    throw evictionDenied(
      `The disruption budget ${budget.metadata.name} needs ${desired} healthy pods and has ${current} currently`,
    )
  }
  if (isDryRun) return
  const budgetWithPod = withValueAt(budget, ['status', 'disruptedPods'], {
    ...objectAt(budget, 'status', 'disruptedPods'),
    [pod.metadata.name ?? '']: timestamp(context.clock),
  })
  const next = withValueAt(budgetWithPod, ['status', 'disruptionsAllowed'], allowed - 1)
  context.store.collection(BUDGETS).put(keyOf(budget), next)
}

function budgetOf(context: ServerContext, pod: ApiObject): ApiObject | undefined {
  const [budget, ...others] = context.store
    .collection(BUDGETS)
    .list()
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace &&
        labelMatcher(valueAt(spec, 'selector') as LabelSelector | undefined)(pod.metadata.labels),
    )
  if (others.length > 0) {
    throw untypedError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  return budget
}
