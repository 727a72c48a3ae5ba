import { storageKey, type ApiObject } from '../schema/json/api-object.ts'
import { listAt, stringAt } from '../schema/json/json-object.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { MASTERS } from './identity.ts'
import type { UserInfo } from '../resources/context/user-info.ts'
import { ruleAllows, rulesOf, type PolicyRule } from './policy-rules.ts'
import type { RequestAttributes } from './request-attributes.ts'

const GROUP = 'rbac.authorization.k8s.io'

/** The result of an authorization check. `reason` names the granting binding, or bindings that could not be resolved. */
export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

/** The rules that bindings grant to a user, each with its source. `problems` lists bindings whose role does not exist. */
export interface GrantedRules {
  readonly rules: readonly { readonly rule: PolicyRule; readonly source: string }[]
  readonly problems: readonly string[]
}

/** Decides whether a user may make a request. Without RBAC every authenticated user may do everything. */
export function authorize(context: ServerContext, user: UserInfo, attributes: RequestAttributes): Decision {
  if (!context.hasRbac || user.groups.includes(MASTERS)) return { allowed: true, reason: '' }
  const { rules, problems } = grantedRules(context, user, attributes.resource?.namespace ?? '')
  const granting = rules.find(({ rule }) => ruleAllows(rule, attributes))
  if (granting !== undefined) return { allowed: true, reason: `RBAC: allowed by ${granting.source}` }
  const reason =
    problems.length === 0 ? '' : `RBAC: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}`
  return { allowed: false, reason }
}

/**
 * Returns the rules that bindings grant to a user: cluster-wide ones, and those of `namespace` unless it is empty.
 *
 * @see kubernetes pkg/registry/rbac/validation/rule.go (v1.36)
 */
export function grantedRules(context: ServerContext, user: UserInfo, namespace: string): GrantedRules {
  const rules: { readonly rule: PolicyRule; readonly source: string }[] = []
  const problems: string[] = []
  const bindings = [
    ...context.store.collection(`${GROUP}/clusterrolebindings`).list(),
    ...(namespace === ''
      ? []
      : context.store
          .collection(`${GROUP}/rolebindings`)
          .list()
          .filter((binding) => binding.metadata.namespace === namespace)),
  ]
  for (const binding of bindings) {
    const subject = listAt(binding, 'subjects').find((each) =>
      appliesToUser(user, each, binding.metadata.namespace ?? ''),
    )
    if (subject === undefined) continue
    const role = boundRole(context, binding)
    if (role === undefined) {
      const kind = stringAt(binding, 'roleRef', 'kind').toLowerCase()
      problems.push(`${kind}.${GROUP} ${JSON.stringify(stringAt(binding, 'roleRef', 'name'))} not found`)
    } else rules.push(...rulesOf(role).map((rule) => ({ rule, source: describeGrant(binding, subject) })))
  }
  return { rules, problems }
}

/** Returns the role that a binding refers to; undefined if it does not exist. */
export function boundRole({ store }: ServerContext, binding: ApiObject): ApiObject | undefined {
  const name = stringAt(binding, 'roleRef', 'name')
  return stringAt(binding, 'roleRef', 'kind') === 'Role'
    ? store.collection(`${GROUP}/roles`).get(storageKey(binding.metadata.namespace ?? '', name))
    : store.collection(`${GROUP}/clusterroles`).get(name)
}

function appliesToUser(user: UserInfo, subject: unknown, bindingNamespace: string): boolean {
  const name = stringAt(subject, 'name')
  switch (stringAt(subject, 'kind')) {
    case 'User':
      return user.username === name
    case 'Group':
      return user.groups.includes(name)
    case 'ServiceAccount': {
      const namespace = stringAt(subject, 'namespace') || bindingNamespace
      return namespace !== '' && user.username === `system:serviceaccount:${namespace}:${name}`
    }
    default:
      return false
  }
}

function describeGrant(binding: ApiObject, subject: unknown): string {
  const { name = '', namespace } = binding.metadata
  const kind = stringAt(subject, 'kind')
  const subjectNamespace = stringAt(subject, 'namespace') || (namespace ?? '')
  const subjectName =
    kind === 'ServiceAccount' ? `${stringAt(subject, 'name')}/${subjectNamespace}` : stringAt(subject, 'name')
  const bindingName = namespace === undefined ? name : `${name}/${namespace}`
  const role = `${stringAt(binding, 'roleRef', 'kind')} ${JSON.stringify(stringAt(binding, 'roleRef', 'name'))}`
  return `${binding.kind} ${JSON.stringify(bindingName)} of ${role} to ${kind} ${JSON.stringify(subjectName)}`
}
