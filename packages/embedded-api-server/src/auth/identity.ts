import type { UserInfo } from '../resources/context/user-info.ts'

const AUTHENTICATED = 'system:authenticated'

/** The group whose members may do everything. */
export const MASTERS = 'system:masters'

/** Whoever asks in process, or with the admin's token. */
export const ADMIN: UserInfo = { username: 'kubernetes-admin', groups: [MASTERS, AUTHENTICATED] }

/** The parts of the control plane that write on their own. */
export const CONTROL_PLANE: UserInfo = {
  username: 'system:kube-controller-manager',
  groups: [MASTERS, AUTHENTICATED],
}

/** The user that a service account is. */
export function serviceAccountIdentity(namespace: string, name: string, uid: string): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  }
}

/** An identity with the group of everybody who is known. */
export function authenticated(identity: UserInfo): UserInfo {
  return identity.groups.includes(AUTHENTICATED)
    ? identity
    : { ...identity, groups: [...identity.groups, AUTHENTICATED] }
}
