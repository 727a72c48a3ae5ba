import { listAt } from '../schema/json/json-object.ts'
import type { RequestAttributes } from './request-attributes.ts'

/** A rule of a role. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** The rules of a Role or ClusterRole. */
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

const has = (values: readonly string[], value: string): boolean => values.includes('*') || values.includes(value)

/** Whether a rule allows what is asked. */
export function ruleAllows(rule: PolicyRule, { verb, path, resource }: RequestAttributes): boolean {
  if (!has(rule.verbs, verb)) return false
  if (resource === undefined) return rule.nonResourceURLs.some((url) => urlCovers(url, path))
  const { group, subresource, name } = resource
  return (
    has(rule.apiGroups, group) &&
    rule.resources.some((each) => resourceCovers(each, resource.resource, subresource)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  )
}

// `*` covers subresources too, `*/scale` that of every resource.
function resourceCovers(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  return pattern === whole || (subresource !== '' && pattern === `*/${subresource}`)
}

function urlCovers(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
}

/**
 * The part of `wanted` that no rule of `owned` covers; what was one rule stays together.
 *
 * @see k8s.io/component-helpers auth/rbac/validation (v0.36)
 */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const missing = wanted.flatMap(singleRules).filter((rule) => !owned.some((each) => covers(each, rule)))
  const byTarget = Map.groupBy(missing, (rule) => JSON.stringify({ ...rule, verbs: [] }))
  return [...byTarget.values()].map(([first, ...others]) => ({
    ...(first ?? NOTHING),
    verbs: [first ?? NOTHING, ...others].flatMap(({ verbs }) => verbs),
  }))
}

const NOTHING: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }

// One rule for each group, resource, name and verb.
function singleRules(rule: PolicyRule): readonly PolicyRule[] {
  return rule.verbs.flatMap((verb) => [
    ...rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        (rule.resourceNames.length === 0 ? [undefined] : rule.resourceNames).map((name) => ({
          ...NOTHING,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames: name === undefined ? [] : [name],
        })),
      ),
    ),
    ...rule.nonResourceURLs.map((url) => ({ ...NOTHING, verbs: [verb], nonResourceURLs: [url] })),
  ])
}

function covers(owner: PolicyRule, wanted: PolicyRule): boolean {
  const [verb = ''] = wanted.verbs
  if (!has(owner.verbs, verb)) return false
  const [url] = wanted.nonResourceURLs
  if (url !== undefined) return owner.nonResourceURLs.some((each) => urlCovers(each, url))
  const [group = '', resource = ''] = [wanted.apiGroups[0], wanted.resources[0]]
  const [main = '', subresource = ''] = resource.split('/')
  const [name] = wanted.resourceNames
  return (
    has(owner.apiGroups, group) &&
    owner.resources.some((each) => resourceCovers(each, main, subresource)) &&
    (owner.resourceNames.length === 0 || (name !== undefined && owner.resourceNames.includes(name)))
  )
}

/** A rule as refusals print it. */
export function ruleText(rule: PolicyRule): string {
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
