import type { ApiClient } from '@berth/embedded-kubelet'
import { SimulatorStartError } from '../simulator-start-error.ts'

/** A permission that virtual nodes need. */
interface Permission {
  readonly verb: string
  /** `pods/status` names a subresource. */
  readonly resource: string
  readonly group?: string
  readonly namespace?: string
}

const permissions = (resource: string, verbs: string, scope: Partial<Permission> = {}): readonly Permission[] =>
  verbs.split(' ').map((verb) => ({ verb, resource, ...scope }))

/** The permissions for all requests of virtual nodes. */
const REQUIRED: readonly Permission[] = [
  ...permissions('nodes', 'get list watch create patch delete'),
  ...permissions('nodes/status', 'patch'),
  ...permissions('pods', 'list watch delete'),
  ...permissions('pods/status', 'patch'),
  ...permissions('leases', 'get create update delete', { group: 'coordination.k8s.io', namespace: 'kube-node-lease' }),
]

/**
 * Checks the permissions of the credentials, before anything is written.
 *
 * @throws BERTH_SIMULATOR_JOIN_FORBIDDEN with every missing verb and resource.
 */
export async function requirePermissions(api: ApiClient): Promise<void> {
  const missing: string[] = []
  // One at a time: a server that does not know the user closes the connection of all open requests.
  for (const right of REQUIRED) if (!(await isAllowed(api, right))) missing.push(permissionText(right))
  if (missing.length === 0) return
  throw new SimulatorStartError(`join the cluster: the credentials may not ${missing.join(', ')}`, {
    code: 'BERTH_SIMULATOR_JOIN_FORBIDDEN',
    hint: 'Use a kubeconfig whose user has these permissions: cluster-admin, or a ClusterRole with these verbs.',
  })
}

async function isAllowed(api: ApiClient, { verb, resource, group = '', namespace }: Permission): Promise<boolean> {
  const [plural, subresource] = resource.split('/')
  const review = await api.send<{ readonly status?: { readonly allowed?: boolean } }>(
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb,
          group,
          resource: plural,
          ...(subresource === undefined ? {} : { subresource }),
          ...(namespace === undefined ? {} : { namespace }),
        },
      },
    },
  )
  return review.status?.allowed === true
}

function permissionText({ verb, resource, group, namespace }: Permission): string {
  const name = group === undefined ? resource : `${resource}.${group}`
  return `${verb} ${name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`
}
