import { type ClusterSnapshot, snapshotCluster } from '@berth/cluster-view'
import type { ApiClient } from '@berth/k8s-client'
import type { Terminal } from '../cli/terminal.ts'
import { CommandError } from '../errors.ts'
import { readObjectList } from '../snapshot/object-list-file.ts'

/** A cluster that can only be listed. */
export type ListableCluster = Pick<ApiClient, 'list'>

/**
 * Reads a cluster from a file: a List of objects, as `kubectl get -o json` and `-o yaml` print it. Its lists hold the objects of
 * all namespaces.
 *
 * @throws CommandError BERTH_KUBECTL_FILE for a file that cannot be read.
 */
export async function clusterOfFile(terminal: Terminal, file: string): Promise<ListableCluster> {
  const items = await readObjectList(terminal, file)
  // A kind alone does not tell a Node of Kubernetes from one of a custom resource, which often has the same name.
  const byType = Map.groupBy(items, ({ apiVersion = '', kind = '' }) => typeKey(groupOf(apiVersion), kind))
  return {
    list: async ({ group, kind }) => ({
      metadata: {},
      // The items have the fields of their kind, as those of an API server have.
      items: (byType.get(typeKey(group, kind)) ?? []) as readonly unknown[] as never,
    }),
  }
}

/**
 * Reads the snapshot of the cluster of a file.
 *
 * @param configMaps - The ConfigMaps that plugins read, as `namespace/name`.
 * @throws CommandError BERTH_KUBECTL_FILE for a file that holds no node.
 */
export async function snapshotOfFile(
  cluster: ListableCluster,
  file: string,
  configMaps: ReadonlySet<string>,
): Promise<ClusterSnapshot> {
  const snapshot = await snapshotCluster(cluster, { configMaps })
  if (snapshot.nodes.size === 0) {
    throw new CommandError(`read the snapshot ${file}: it holds no node`, {
      code: 'BERTH_KUBECTL_FILE',
      hint: 'Write one: kubectl get nodes,pods,pdb,rs -A -o json > FILE',
    })
  }
  return snapshot
}

function typeKey(group: string, kind: string): string {
  return `${group}/${kind}`
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}
