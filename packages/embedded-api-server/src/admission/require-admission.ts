import { requireNoEscalation } from '../auth/require-no-escalation.ts'
import type { ApiObject } from '../schema/json/api-object.ts'
import { equalJson, listAt, objectAt, own, stringAt, valueAt } from '../schema/json/json-object.ts'
import { forbidden } from '../schema/status/api-errors.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import type { Admission } from './attributes/admission.ts'
import { requireLimitRanges, withLimitRanges } from './quotas/limit-ranges.ts'
import { podSecurityViolations, violationsText } from './pod-security.ts'
import { requireResizable } from './require-resizable.ts'
import { validateByPolicies } from './policies/validate-by-policies.ts'
import { mutatedByWebhooks, validateByWebhooks } from './webhooks/webhooks.ts'
import type { Strategy } from '../resources/kinds/strategy.ts'
import { requireQuota } from './quotas/quotas.ts'

function isResize({ kind, subresource }: ResourceRequest): boolean {
  return kind.storage === '/pods' && subresource === 'resize'
}

/** An object as limit ranges, where it is resized, and mutating webhooks leave it, with defaults for what they left out. */
export function mutated(
  context: ServerContext,
  request: ResourceRequest,
  { object, old, strategy }: { readonly object: ApiObject; readonly old?: ApiObject; readonly strategy: Strategy },
): ApiObject {
  const given = isResize(request) ? withLimitRanges(context, object) : object
  if (request.webhooks === undefined) return given
  const admission: Admission =
    old === undefined ? { operation: 'CREATE', object: given } : { operation: 'UPDATE', object: given, old }
  const result = mutatedByWebhooks(context, request, admission) ?? given
  return result === given ? given : (strategy.defaults?.(result) ?? result)
}

/** A new object as admission changes it before it is validated. */
export function admitted(context: ServerContext, request: ResourceRequest, object: ApiObject): ApiObject {
  return request.kind.storage === '/pods' ? withLimitRanges(context, object) : object
}

/**
 * Refuses what admission does not let through, in upstream's order: roles that give too much, limit ranges, pod security,
 * what the node of a resized pod can, policies, webhooks, quotas.
 *
 * @throws BERTH_SIMULATOR_REFUSED (403, or what a policy says)
 */
export function requireAdmission(context: ServerContext, request: ResourceRequest, admission: Admission): void {
  const { operation, object, old } = admission
  if (object !== undefined) requireNoEscalation(context, request, object, old)
  const { storage } = request.kind
  const isMeasured = storage === '/pods' && (operation === 'CREATE' || isResize(request))
  if (isMeasured && object !== undefined) requireLimitRanges(context, object)
  if (object !== undefined) requirePodSecurity(context, request, object, old)
  if (storage === 'scheduling.k8s.io/priorityclasses' && object !== undefined)
    requireOneDefault(context, request, object)
  if (isResize(request) && object !== undefined && old !== undefined) requireResizable(context, object, old)
  validateByPolicies(context, request, admission)
  if (request.webhooks !== undefined) {
    // Nothing is changed in what goes, but who changes is asked too.
    if (operation === 'DELETE') mutatedByWebhooks(context, request, admission)
    validateByWebhooks(context, request, admission)
  }
  const isCounted = isResize(request) || (operation === 'CREATE' && request.subresource === '')
  if (isCounted && object !== undefined) requireQuota(context, request, object, old)
}

const LABEL = 'pod-security.kubernetes.io/'
/** Where workloads keep the spec of their pods. */
const TEMPLATES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[
    'apps/deployments',
    'apps/replicasets',
    'apps/daemonsets',
    'apps/statefulsets',
    'batch/jobs',
    '/replicationcontrollers',
  ].map((storage): [string, readonly string[]] => [storage, ['spec', 'template', 'spec']]),
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template', 'spec']],
])

const POD_PARTS: ReadonlySet<string> = new Set(['resize', 'ephemeralcontainers'])

// Of a pod that was let in, nothing else can change that matters.
function hasNewImages(pod: ApiObject, old: ApiObject): boolean {
  const imagesOf = (object: ApiObject, key: string): readonly string[] =>
    listAt(object, 'spec', key).map((each) => stringAt(each, 'image'))
  const known = new Map(
    listAt(old, 'spec', 'ephemeralContainers').map((each) => [stringAt(each, 'name'), stringAt(each, 'image')]),
  )
  return (
    ['containers', 'initContainers'].some((key) => !equalJson(imagesOf(pod, key), imagesOf(old, key))) ||
    listAt(pod, 'spec', 'ephemeralContainers').some(
      (each) => known.get(stringAt(each, 'name')) !== stringAt(each, 'image'),
    )
  )
}

// Pods are held to the level that their namespace enforces; of workloads only warnings speak.
function requirePodSecurity(
  context: ServerContext,
  request: ResourceRequest,
  object: ApiObject,
  old: ApiObject | undefined,
): void {
  const { kind, subresource } = request
  const path = kind.storage === '/pods' ? ['spec'] : TEMPLATES.get(kind.storage)
  if (path === undefined || (subresource !== '' && !POD_PARTS.has(subresource))) return
  if (old !== undefined && valueAt(object, ...path) === valueAt(old, ...path)) return
  if (old !== undefined && kind.storage === '/pods' && !hasNewImages(object, old)) return
  const labels = context.store.collection('/namespaces').get(object.metadata.namespace ?? '')?.metadata.labels ?? {}
  const level = (mode: string): string => stringAt(labels, `${LABEL}${mode}`) || 'privileged'
  const version = (mode: string): string => stringAt(labels, `${LABEL}${mode}-version`) || 'latest'
  const sentence = (mode: string): string => {
    const violations = podSecurityViolations(objectAt(object, ...path), level(mode))
    if (violations.length === 0) return ''
    return `violate PodSecurity "${level(mode)}:${version(mode)}": ${violationsText(violations)}`
  }
  const warning = sentence('warn')
  const refusal = kind.storage === '/pods' ? sentence('enforce') : ''
  if (refusal !== '') {
    throw forbidden(kind, object.metadata.name ?? '', refusal.replace('violate', 'violates'))
  }
  if (warning !== '') request.warn?.(`would ${warning}`)
}

function requireOneDefault({ store }: ServerContext, request: ResourceRequest, object: ApiObject): void {
  if (own(object, 'globalDefault') !== true) return
  const other = store
    .collection(request.kind.storage)
    .list()
    .find((each) => own(each, 'globalDefault') === true && each.metadata.name !== object.metadata.name)
  if (other === undefined) return
  const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`
  throw forbidden(request.kind, object.metadata.name ?? '', why)
}
