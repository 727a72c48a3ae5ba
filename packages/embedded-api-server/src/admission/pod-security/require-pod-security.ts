import type { ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, listAt, objectAt, stringAt, valueAt } from '../../schema/json/json-object.ts'
import { forbidden } from '../../schema/status/api-errors.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { podSecurityViolations, violationsText } from './pod-security-violations.ts'

const LABEL_PREFIX = 'pod-security.kubernetes.io/'
/** Paths of the pod spec in workloads, by storage. */
const POD_SPEC_PATHS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
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

const CHECKED_POD_SUBRESOURCES: ReadonlySet<string> = new Set(['resize', 'ephemeralcontainers'])

// As upstream: only images can change in an admitted pod in a way that matters to the checks.
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

/**
 * Checks a pod, or the pod template of a workload, against the pod security levels of its namespace. Pods must meet the
 * enforced level. Workloads only get warnings.
 *
 * @throws BERTH_SIMULATOR_REFUSED (403) if a pod violates the enforced level.
 */
export function requirePodSecurity(
  context: ServerContext,
  request: ResourceRequest,
  object: ApiObject,
  old: ApiObject | undefined,
): void {
  const { kind, subresource } = request
  const path = kind.storage === '/pods' ? ['spec'] : POD_SPEC_PATHS.get(kind.storage)
  if (path === undefined || (subresource !== '' && !CHECKED_POD_SUBRESOURCES.has(subresource))) return
  if (old !== undefined && valueAt(object, ...path) === valueAt(old, ...path)) return
  if (old !== undefined && kind.storage === '/pods' && !hasNewImages(object, old)) return
  const labels = context.store.collection('/namespaces').get(object.metadata.namespace ?? '')?.metadata.labels ?? {}
  const level = (mode: string): string => stringAt(labels, `${LABEL_PREFIX}${mode}`) || 'privileged'
  const version = (mode: string): string => stringAt(labels, `${LABEL_PREFIX}${mode}-version`) || 'latest'
  const violationText = (mode: string): string => {
    const violations = podSecurityViolations(objectAt(object, ...path), level(mode))
    if (violations.length === 0) return ''
    return `violate PodSecurity "${level(mode)}:${version(mode)}": ${violationsText(violations)}`
  }
  const warning = violationText('warn')
  const refusal = kind.storage === '/pods' ? violationText('enforce') : ''
  if (refusal !== '') {
    throw forbidden(kind, object.metadata.name ?? '', refusal.replace('violate', 'violates'))
  }
  if (warning !== '') request.warn?.(`would ${warning}`)
}
