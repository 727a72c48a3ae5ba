import { createSharedValues, nodeDecoding, podDecoding, projectNode, projectPod } from '@berth/cluster-view'
import { resourceRefs, type Cluster, type Reflector } from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import type { Node, Pod } from '@berth/types'
import type { ObservedChange } from '../cluster/observed-change.ts'
import type { ReadableScope } from './readable-scope.ts'

/** Nodes and pods that are watched until this is disposed. */
export interface ClusterWatch extends AsyncDisposable {
  /** Waits until everything has been read once. */
  waitForSync(signal: AbortSignal): Promise<void>
  /** Why the cluster cannot be read at present; undefined while it can. */
  problem(): string | undefined
}

/** Bookmarks come once a minute; after three minutes without anything the watch may have ended unnoticed. */
const MAX_SILENCE_MS = 180_000

/** Watches the nodes and pods that may be read. */
export function watchCluster(
  cluster: Pick<Cluster, 'reflect'>,
  { scope, namespace }: { readonly scope: ReadableScope; readonly namespace: string },
  onChange: (change: ObservedChange) => void,
): ClusterWatch {
  const shared = createSharedValues()
  const mirrors: Reflector<Node | Pod>[] = []
  if (scope.hasNodes) {
    const nodes = cluster.reflect<Node>(resourceRefs.nodes, {
      project: (node) => projectNode(node, shared),
      protobuf: nodeDecoding,
      isLarge: true,
    })
    nodes.subscribe({
      onAdd: (object) => onChange({ verb: 'create', kind: 'Node', object }),
      onUpdate: (_, object) => onChange({ verb: 'update', kind: 'Node', object }),
      onDelete: (object) => onChange({ verb: 'delete', kind: 'Node', object }),
    })
    mirrors.push(nodes)
  }
  if (scope.pods !== undefined) {
    const pods = cluster.reflect<Pod>(resourceRefs.pods, {
      project: (pod) => projectPod(pod, shared),
      protobuf: podDecoding,
      isLarge: true,
      ...(scope.pods === 'one' && { namespace }),
    })
    pods.subscribe({
      onAdd: (object) => onChange({ verb: 'create', kind: 'Pod', object }),
      onUpdate: (_, object) => onChange({ verb: 'update', kind: 'Pod', object }),
      onDelete: (object) => onChange({ verb: 'delete', kind: 'Pod', object }),
    })
    mirrors.push(pods)
  }
  return {
    async waitForSync(signal) {
      await Promise.all(mirrors.map((mirror) => mirror.waitForSync(signal)))
    },
    problem() {
      const [failure] = mirrors.flatMap((mirror) => mirror.failure() ?? [])
      if (failure !== undefined) return errorText(failure)
      const silentMs = Math.max(0, ...mirrors.map((mirror) => (mirror.hasSynced() ? mirror.lastEventAgeMs() : 0)))
      return silentMs > MAX_SILENCE_MS
        ? `the API server has sent nothing for ${Math.round(silentMs / 1_000)} seconds`
        : undefined
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(mirrors.map((mirror) => mirror[Symbol.asyncDispose]()))
    },
  }
}
