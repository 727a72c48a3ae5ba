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

/** Returns whether a rule allows a request. */
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

/**
 * Returns the part of `wanted` that no rule of `owned` covers. Verbs for the same target are merged into one rule.
 *
 * @see k8s.io/component-helpers auth/rbac/validation (v0.36)
 */
export function uncoveredRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const missing = wanted.flatMap(breakDownRule).filter((rule) => !owned.some((each) => covers(each, rule)))
  const byTarget = Map.groupBy(missing, (rule) => JSON.stringify({ ...rule, verbs: [] }))
  return [...byTarget.values()].map(([first, ...others]) => ({
    ...(first ?? EMPTY_RULE),
    verbs: [first ?? EMPTY_RULE, ...others].flatMap(({ verbs }) => verbs),
  }))
}

const EMPTY_RULE: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }

// Returns one rule for each group, resource, name and verb (upstream's BreakdownRule).
function breakDownRule(rule: PolicyRule): readonly PolicyRule[] {
  return rule.verbs.flatMap((verb) => [
    ...rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        (rule.resourceNames.length === 0 ? [undefined] : rule.resourceNames).map((name) => ({
          ...EMPTY_RULE,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames: name === undefined ? [] : [name],
        })),
      ),
    ),
    ...rule.nonResourceURLs.map((url) => ({ ...EMPTY_RULE, verbs: [verb], nonResourceURLs: [url] })),
  ])
}

function covers(owned: PolicyRule, wanted: PolicyRule): boolean {
  const [verb = ''] = wanted.verbs
  if (!includesOrAll(owned.verbs, verb)) return false
  const [url] = wanted.nonResourceURLs
  if (url !== undefined) return owned.nonResourceURLs.some((each) => urlCovers(each, url))
  const [group = '', resource = ''] = [wanted.apiGroups[0], wanted.resources[0]]
  const [main = '', subresource = ''] = resource.split('/')
  const [name] = wanted.resourceNames
  return (
    includesOrAll(owned.apiGroups, group) &&
    owned.resources.some((each) => resourceCovers(each, main, subresource)) &&
    (owned.resourceNames.length === 0 || (name !== undefined && owned.resourceNames.includes(name)))
  )
}

/** Formats a rule as upstream's refusals print it. */
export function formatRule(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const
  const shown = parts.flatMap(([name, values]) =>
    values.length === 0 ? [] : [`${name}:[${values.map((value) => JSON.stringify(value)).join(' ')}]`],
  )
  return `{${shown.join(', ')}}`
}
