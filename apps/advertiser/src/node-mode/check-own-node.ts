import { isApiStatus, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import { ConfigError } from '@berth/process/config'
import type { KubernetesObject } from '@berth/types'

const selfSubjectReviews: ResourceRef = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
}
/** Key of the node of a pod in what its token says about the user. Tokens have it since Kubernetes 1.32. */
const NODE_CLAIM = 'authentication.kubernetes.io/node-name'

interface SelfSubjectReview extends KubernetesObject {
  readonly status?: { readonly userInfo?: { readonly extra?: Readonly<Record<string, readonly string[]>> } }
}

/**
 * Refuses to act on another node than the one that the token of this process belongs to. A token that belongs to no node
 * passes, as with the kubeconfig of an administrator; in the cluster, the admission policy of the chart refuses its writes.
 *
 * @throws ConfigError BERTH_ADVERTISER_CONFIG_FOREIGN_NODE
 * @throws Errors of the client, except if the server does not answer this question.
 */
export async function checkOwnNode(
  nodeName: string,
  { client, signal }: { readonly client: Pick<ApiClient, 'create'>; readonly signal: AbortSignal },
): Promise<void> {
  const own = await nodeOfToken(client, signal)
  if (own === undefined || own === nodeName) return
  throw new ConfigError(
    `act on node ${nodeName}: the token of this process belongs to node ${own}, and mode node reads and writes only that node`,
    {
      code: 'BERTH_ADVERTISER_CONFIG_FOREIGN_NODE',
      hint: `Run the command in the pod on ${nodeName}, or in mode central with the kubeconfig of an administrator.`,
    },
  )
}

async function nodeOfToken(client: Pick<ApiClient, 'create'>, signal: AbortSignal): Promise<string | undefined> {
  try {
    const body: SelfSubjectReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} }
    const { status } = await client.create<SelfSubjectReview>(selfSubjectReviews, body, { signal })
    return status?.userInfo?.extra?.[NODE_CLAIM]?.[0]
  } catch (error) {
    if (isApiStatus(error, 403) || isApiStatus(error, 404)) return undefined
    throw error
  }
}
