import { silentLogger, type ApiHandler, type Clock, type Logger, type Node, type Pod } from '@berth/types'
import { startObjectFeed, type ObjectFeed } from './object-feed.ts'
import { createRest } from './rest.ts'

/** List-and-watches that many kubelets share; see `startKubeletFeeds`. */
export interface KubeletFeeds extends AsyncDisposable {
  /** Bound pods by node name. */
  readonly pods: ObjectFeed<Pod>
  /** Nodes by name. */
  readonly nodes: ObjectFeed<Node>
}

/**
 * Starts the two list-and-watches that kubelets live on: for one node, or unfiltered, to be shared by many kubelets,
 * so that a big simulated cluster decodes each event once.
 */
export function startKubeletFeeds(options: {
  readonly handler: ApiHandler
  readonly clock: Clock
  readonly log?: Logger
  readonly headers?: Readonly<Record<string, string>>
  readonly nodeName?: string
  /** Which nodes' pods to keep; default: all. */
  readonly isOurs?: (nodeName: string) => boolean
}): KubeletFeeds {
  const { handler, clock, log = silentLogger, headers, nodeName, isOurs = () => true } = options
  const kept = (name: string | undefined): string | undefined => (name !== undefined && isOurs(name) ? name : undefined)
  const rest = createRest(handler, headers)
  const query = (field: string): string =>
    nodeName === undefined ? '' : `?fieldSelector=${encodeURIComponent(`${field}=${nodeName}`)}`
  const pods = startObjectFeed<Pod>({
    rest,
    path: `/api/v1/pods${query('spec.nodeName')}`,
    groupOf: (pod) => kept(pod.spec.nodeName),
    clock,
    log,
  })
  const nodes = startObjectFeed<Node>({
    rest,
    path: `/api/v1/nodes${query('metadata.name')}`,
    groupOf: (node) => kept(node.metadata.name),
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
