import { own } from '../schema/json/json-object.ts'
import { forbidden } from '../schema/status/api-errors.ts'
import type { ApiObject } from '../schema/json/api-object.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import type { Admission } from './attributes/admission.ts'
import { requirePodSecurity } from './pod-security/require-pod-security.ts'
import { validateByPolicies } from './policies/validate-by-policies.ts'
import { requireQuota } from './quotas/quotas.ts'

/**
 * Runs validating admission in upstream's order: pod security, the default priority class, policies, quotas.
 *
 * @throws BERTH_SIMULATOR_REFUSED (403, or the code of a policy)
 */
export function requireAdmission(context: ServerContext, request: ResourceRequest, admission: Admission): void {
  const { operation, object, old } = admission
  if (object !== undefined) {
    requirePodSecurity(context, request, object, old)
    if (request.kind.storage === 'scheduling.k8s.io/priorityclasses')
      requireSingleGlobalDefault(context, request, object)
  }
  validateByPolicies(context, request, admission)
  if (operation === 'CREATE' && request.subresource === '' && object !== undefined)
    requireQuota(context, request, object)
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
