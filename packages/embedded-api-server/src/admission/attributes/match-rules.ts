import type { LabelSelector } from '@berth/types'
import { listAt, own, stringAt } from '../../schema/json/json-object.ts'
import { labelMatcher } from '../../resources/selectors/label-selector.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { namespaceOf, type Admission } from './admission.ts'

/**
 * Returns whether the rules and selectors of a webhook, a policy or a binding match a request. An empty list of rules
 * matches every request.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/predicates, plugin/policy/matching (v0.36)
 */
export function matchesRequest(
  context: ServerContext,
  request: ResourceRequest,
  admission: Admission,
  match: unknown,
  rulesKey: 'rules' | 'resourceRules',
): boolean {
  const rules = listAt(match, rulesKey)
  if (rules.length > 0 && !rules.some((rule) => ruleMatches(context, request, admission, rule, match))) return false
  if (listAt(match, 'excludeResourceRules').some((rule) => ruleMatches(context, request, admission, rule, match)))
    return false
  return matchesNamespace(context, request, admission, match) && matchesObject(admission, match)
}

function ruleMatches(
  context: ServerContext,
  request: ResourceRequest,
  { operation, object, old }: Admission,
  rule: unknown,
  match: unknown,
): boolean {
  const { kind, subresource } = request
  const has = (key: string, value: string): boolean => listAt(rule, key).some((each) => each === '*' || each === value)
  const scope = stringAt(rule, 'scope') || '*'
  const names = listAt(rule, 'resourceNames')
  const name = (object ?? old)?.metadata.name ?? request.name
  const isExact = stringAt(match, 'matchPolicy') === 'Exact'
  const versions = isExact
    ? [kind.version]
    : context.kinds.all().flatMap((each) => (each.storage === kind.storage ? [each.version] : []))
  return (
    has('operations', operation) &&
    has('apiGroups', kind.group) &&
    versions.some((version) => has('apiVersions', version)) &&
    listAt(rule, 'resources').some((pattern) => resourceMatches(String(pattern), kind.plural, subresource)) &&
    (names.length === 0 || names.includes(name)) &&
    (scope === '*' || (scope === 'Namespaced') === kind.namespaced)
  )
}

// `pods` matches the main resource, `pods/*` also its subresources, `*` every main resource, `*/*` everything.
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', sub] = pattern.split('/')
  if (resource !== '*' && resource !== plural) return false
  if (sub === undefined) return subresource === ''
  return sub === '*' || sub === subresource
}

function matchesNamespace(
  context: ServerContext,
  request: ResourceRequest,
  { object, old }: Admission,
  match: unknown,
): boolean {
  const selector = own(match, 'namespaceSelector')
  if (selector === undefined) return true
  const isNamespace = request.kind.storage === '/namespaces'
  const namespace = isNamespace ? (object ?? old) : namespaceOf(context, request)
  return namespace === undefined || labelMatcher(selector as LabelSelector)(namespace.metadata.labels)
}

function matchesObject({ object, old }: Admission, match: unknown): boolean {
  const selector = own(match, 'objectSelector')
  if (selector === undefined) return true
  const test = labelMatcher(selector as LabelSelector)
  return [object, old].some((each) => each !== undefined && test(each.metadata.labels))
}
