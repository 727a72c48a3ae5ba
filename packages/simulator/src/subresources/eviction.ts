import type { ApiResponse, LabelSelector } from '@berth/types'
import { keyOf, type ApiObject } from '../json/api-object.ts'
import { numberAt, objectAt, stringAt, valueAt, withValueAt } from '../json/json-object.ts'
import { evictionDenied, internalError } from '../refusal/refusals.ts'
import { labelTest } from '../selectors/label-selector.ts'
import { bodyObject } from '../server/read-body.ts'
import { isDryRun, requireSameName, type ResourceRequest } from '../server/resource-request.ts'
import { jsonResponse } from '../server/respond.ts'
import { timestamp, type ServerContext } from '../server/server-context.ts'
import { deleteOptionsOf, removeObject } from '../verbs/delete.ts'
import { requireObject } from '../verbs/read.ts'

/**
 * POST pods/NAME/eviction: deletes a pod unless a disruption budget forbids it.
 *
 * @see kubernetes pkg/registry/core/pod/storage/eviction.go (v1.36)
 */
export function evictPod(context: ServerContext, request: ResourceRequest): ApiResponse {
  const eviction = bodyObject(request)
  requireSameName(request.name, stringAt(eviction, 'metadata', 'name'))
  const pod = requireObject(context, request)
  const phase = stringAt(pod, 'status', 'phase')
  const countsNot =
    phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined
  if (!countsNot) takeFromBudget(context, request, pod)
  removeObject(context, request, pod, deleteOptionsOf(request, objectAt(eviction, 'deleteOptions')))
  return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

function takeFromBudget(context: ServerContext, request: ResourceRequest, pod: ApiObject): void {
  const budgets = context.store.collection('policy/poddisruptionbudgets')
  const matching = budgets
    .list()
    .filter(
      (budget) =>
        budget.metadata.namespace === pod.metadata.namespace &&
        labelTest(valueAt(budget, 'spec', 'selector') as LabelSelector | undefined)(pod.metadata.labels),
    )
  const [budget] = matching
  if (budget === undefined) return
  if (matching.length > 1) {
    throw internalError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  const allowed = numberAt(budget, 'status', 'disruptionsAllowed') ?? 0
  if (allowed <= 0) {
    const desired = numberAt(budget, 'status', 'desiredHealthy') ?? 0
    const current = numberAt(budget, 'status', 'currentHealthy') ?? 0
    throw evictionDenied(
      `The disruption budget ${budget.metadata.name} needs ${desired} healthy pods and has ${current} currently`,
    )
  }
  if (isDryRun(request)) return
  const noted = withValueAt(budget, ['status', 'disruptedPods'], {
    ...objectAt(budget, 'status', 'disruptedPods'),
    [pod.metadata.name ?? '']: timestamp(context.clock),
  })
  budgets.put(keyOf(budget), withValueAt(noted, ['status', 'disruptionsAllowed'], allowed - 1))
}
