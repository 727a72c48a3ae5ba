import { silentLogger, type ApiHandler, type Clock, type Logger, type Node, type Pod } from '@berth/types'
import { startObjectFeed, type ObjectFeed } from './object-feed.ts'
import { createApiClient } from './api-client.ts'

/** The pods and nodes that kubelets follow. Many kubelets may share one pair of feeds. */
export interface KubeletFeeds extends AsyncDisposable {
  /** Bound pods by node name. */
  readonly pods: ObjectFeed<Pod>
  /** Nodes by name. */
  readonly nodes: ObjectFeed<Node>
}

/**
 * Starts the feeds of one node, or unfiltered feeds for many kubelets to share: a big simulated cluster then decodes
 * each event once.
 */
export function startKubeletFeeds(options: {
  readonly handler: ApiHandler
  readonly clock: Clock
  readonly log?: Logger
  readonly headers?: Readonly<Record<string, string>>
  readonly nodeName?: string
  /** Returns whether to keep a node and its pods. Default: all are kept. */
  readonly includesNode?: (nodeName: string) => boolean
}): KubeletFeeds {
  const { handler, clock, log = silentLogger, headers, nodeName, includesNode: isOurs = () => true } = options
  const groupOfNode = (name: string | undefined): string | undefined =>
    name !== undefined && isOurs(name) ? name : undefined
  const api = createApiClient(handler, headers)
  const query = (field: string): string =>
    nodeName === undefined ? '' : `?fieldSelector=${encodeURIComponent(`${field}=${nodeName}`)}`
  const pods = startObjectFeed<Pod>({
    api,
    path: `/api/v1/pods${query('spec.nodeName')}`,
    groupOf: (pod) => groupOfNode(pod.spec.nodeName),
    clock,
    log,
  })
  const nodes = startObjectFeed<Node>({
    api,
    path: `/api/v1/nodes${query('metadata.name')}`,
    groupOf: (node) => groupOfNode(node.metadata.name),
    clock,
    log,
  })
  return {
    pods,
    nodes,
    async [Symbol.asyncDispose]() {
      await Promise.all([pods[Symbol.asyncDispose](), nodes[Symbol.asyncDispose]()])
    },
  }
}
