import type { UserInfo } from '../resources/context/user-info.ts'

const AUTHENTICATED = 'system:authenticated'

/** The group whose members may do everything. */
export const MASTERS = 'system:masters'

/** The user of requests from this process and of requests with the admin's token. */
export const ADMIN: UserInfo = { username: 'kubernetes-admin', groups: [MASTERS, AUTHENTICATED] }

/** The user of writes that the control plane makes itself. */
export const CONTROL_PLANE: UserInfo = {
  username: 'system:kube-controller-manager',
  groups: [MASTERS, AUTHENTICATED],
}

/** Returns the user of a service account. */
export function serviceAccountIdentity(namespace: string, name: string, uid: string): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  }
}

/** Returns the identity as a member of `system:authenticated`. */
export function withAuthenticatedGroup(identity: UserInfo): UserInfo {
  return identity.groups.includes(AUTHENTICATED)
    ? identity
    : { ...identity, groups: [...identity.groups, AUTHENTICATED] }
}
