import type { AuditedRequest } from './audit-log.ts'

/** A rule of a role. */
export interface RoleRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/**
 * Returns the permission that a request needs, such as `apps/deployments list` or `/pods/binding create`; undefined for a request of
 * another URL than that of a resource. A watch is not a list.
 */
export function permissionOf({ verb, objectRef = {} }: AuditedRequest): string | undefined {
  const { apiGroup = '', resource, subresource } = objectRef
  if (resource === undefined) return undefined
  return `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`} ${verb}`
}

/** Returns the permissions of rules, in the form of {@link permissionOf}. */
export function permissionsIn(rules: readonly RoleRule[]): readonly string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`))),
  )
}
