import type { ApiClient } from '@berth/embedded-kubelet'
import { SimulatorStartError } from '../http/simulator-error.ts'

/** One thing that virtual nodes must be allowed to do. */
interface Right {
  readonly verb: string
  /** `pods/status` names a subresource. */
  readonly resource: string
  readonly group?: string
  readonly namespace?: string
}

const rights = (resource: string, verbs: string, place: Partial<Right> = {}): readonly Right[] =>
  verbs.split(' ').map((verb) => ({ verb, resource, ...place }))

/** Everything that kubelets without a node of their own do to an API server. */
const REQUIRED: readonly Right[] = [
  ...rights('nodes', 'get list watch create patch delete'),
  ...rights('nodes/status', 'patch'),
  ...rights('pods', 'list watch delete'),
  ...rights('pods/status', 'patch'),
  ...rights('leases', 'get create update delete', { group: 'coordination.k8s.io', namespace: 'kube-node-lease' }),
]

/**
 * Asks the server whether the credentials suffice, before anything is written.
 *
 * @throws BERTH_SIMULATOR_JOIN_FORBIDDEN naming each verb and resource that is missing
 */
export async function requireRights(rest: ApiClient): Promise<void> {
  const missing: string[] = []
  // One after the other: a server that does not know the user closes the connection under all of them.
  for (const right of REQUIRED) if (!(await isAllowed(rest, right))) missing.push(textOf(right))
  if (missing.length === 0) return
  throw new SimulatorStartError(`join the cluster: the credentials may not ${missing.join(', ')}`, {
    code: 'BERTH_SIMULATOR_JOIN_FORBIDDEN',
    hint: 'Use a kubeconfig whose user may do all of that: cluster-admin, or a ClusterRole with these verbs.',
  })
}

async function isAllowed(rest: ApiClient, { verb, resource, group = '', namespace }: Right): Promise<boolean> {
  const [plural, subresource] = resource.split('/')
  const review = await rest.send<{ readonly status?: { readonly allowed?: boolean } }>(
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

function textOf({ verb, resource, group, namespace }: Right): string {
  const name = group === undefined ? resource : `${resource}.${group}`
  return `${verb} ${name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`
}
