import { requireNoEscalation } from '../auth/require-no-escalation.ts'
import type { ApiObject } from '../schema/json/api-object.ts'
import { own } from '../schema/json/json-object.ts'
import { forbidden } from '../schema/status/api-errors.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import type { Admission } from './attributes/admission.ts'
import { requireWithinLimitRanges, withLimitRangeDefaults } from './quotas/limit-ranges.ts'
import { requirePodSecurity } from './pod-security/require-pod-security.ts'
import { requireResizable } from './require-resizable.ts'
import { validateByPolicies } from './policies/validate-by-policies.ts'
import { applyMutatingWebhooks, validateByWebhooks } from './webhooks/webhooks.ts'
import type { Strategy } from '../resources/kinds/strategy.ts'
import { requireQuota } from './quotas/quotas.ts'

function isResize({ kind, subresource }: ResourceRequest): boolean {
  return kind.storage === '/pods' && subresource === 'resize'
}

/**
 * Returns the object after mutating admission: limit ranges (for a resize, since {@link withAdmissionDefaults} covers
 * creations) and webhooks. Defaults are filled in again after the webhooks.
 */
export function applyMutatingAdmission(
  context: ServerContext,
  request: ResourceRequest,
  { object, old, strategy }: { readonly object: ApiObject; readonly old?: ApiObject; readonly strategy: Strategy },
): ApiObject {
  const withDefaults = isResize(request) ? withLimitRangeDefaults(context, object) : object
  if (request.webhooks === undefined) return withDefaults
  const admission: Admission =
    old === undefined
      ? { operation: 'CREATE', object: withDefaults }
      : { operation: 'UPDATE', object: withDefaults, old }
  const result = applyMutatingWebhooks(context, request, admission) ?? withDefaults
  return result === withDefaults ? withDefaults : (strategy.defaults?.(result) ?? result)
}

/** Returns a new object with the defaults that admission sets before validation: those of limit ranges. */
export function withAdmissionDefaults(context: ServerContext, request: ResourceRequest, object: ApiObject): ApiObject {
  return request.kind.storage === '/pods' ? withLimitRangeDefaults(context, object) : object
}

/**
 * Runs validating admission in upstream's order: RBAC escalation, limit ranges, pod security, the default priority
 * class, the node of a resized pod, policies, webhooks, quotas.
 *
 * @throws BERTH_SIMULATOR_REFUSED (403, or the code of a policy or webhook)
 */
export function requireAdmission(context: ServerContext, request: ResourceRequest, admission: Admission): void {
  const { operation, object, old } = admission
  if (object !== undefined) requireNoEscalation(context, request, object, old)
  const { storage } = request.kind
  const isLimited = storage === '/pods' && (operation === 'CREATE' || isResize(request))
  if (isLimited && object !== undefined) requireWithinLimitRanges(context, object)
  if (object !== undefined) requirePodSecurity(context, request, object, old)
  if (storage === 'scheduling.k8s.io/priorityclasses' && object !== undefined)
    requireSingleGlobalDefault(context, request, object)
  if (isResize(request) && object !== undefined && old !== undefined) requireResizable(context, object, old)
  validateByPolicies(context, request, admission)
  if (request.webhooks !== undefined) {
    // Mutating webhooks are called for deletions too, but their patches have no effect.
    if (operation === 'DELETE') applyMutatingWebhooks(context, request, admission)
    validateByWebhooks(context, request, admission)
  }
  const isCounted = isResize(request) || (operation === 'CREATE' && request.subresource === '')
  if (isCounted && object !== undefined) requireQuota(context, request, object, old)
}

function requireSingleGlobalDefault({ store }: ServerContext, request: ResourceRequest, object: ApiObject): void {
  if (own(object, 'globalDefault') !== true) return
  const other = store
    .collection(request.kind.storage)
    .list()
    .find((each) => own(each, 'globalDefault') === true && each.metadata.name !== object.metadata.name)
  if (other === undefined) return
  const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`
  throw forbidden(request.kind, object.metadata.name ?? '', why)
}
