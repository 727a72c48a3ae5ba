import { listAt } from '../schema/json/json-object.ts'
import type { RequestAttributes } from './request-attributes.ts'

/** One rule of a role. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** Returns the rules of a Role or ClusterRole. */
export function rulesOf(role: unknown): readonly PolicyRule[] {
  return listAt(role, 'rules').map((rule) => {
    const texts = (key: string): readonly string[] => listAt(rule, key).map(String)
    return {
      verbs: texts('verbs'),
      apiGroups: texts('apiGroups'),
      resources: texts('resources'),
      resourceNames: texts('resourceNames'),
      nonResourceURLs: texts('nonResourceURLs'),
    }
  })
}

const includesOrAll = (values: readonly string[], value: string): boolean =>
  values.includes('*') || values.includes(value)

/** Whether a rule allows a request. */
export function ruleAllows(rule: PolicyRule, { verb, path, resource }: RequestAttributes): boolean {
  if (!includesOrAll(rule.verbs, verb)) return false
  if (resource === undefined) return rule.nonResourceURLs.some((url) => urlCovers(url, path))
  const { group, subresource, name } = resource
  return (
    includesOrAll(rule.apiGroups, group) &&
    rule.resources.some((each) => resourceCovers(each, resource.resource, subresource)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  )
}

// `*` covers subresources too; `*/scale` covers the scale subresource of every resource.
function resourceCovers(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  return pattern === whole || (subresource !== '' && pattern === `*/${subresource}`)
}

function urlCovers(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
}
