import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import { CannotRunError } from './cannot-run.ts'

/** Taints that the node lifecycle controller adds and removes. A node whose kubelet restarts remains a worker. */
const temporaryTaints: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])

/** Returns the nodes that are not control planes, not cordoned and without taints that repel pods, sorted by name. */
export function schedulable(nodes: readonly Node[]): readonly Node[] {
  const isOpen = ({ metadata, spec }: Node): boolean =>
    metadata.labels?.['node-role.kubernetes.io/control-plane'] === undefined &&
    spec?.unschedulable !== true &&
    !(spec?.taints ?? []).some(({ key, effect }) => effect !== 'PreferNoSchedule' && !temporaryTaints.has(key))
  const nameOf = ({ metadata }: Node): string => metadata.name ?? ''
  return nodes.filter(isOpen).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** Returns the names of the nodes that checks may use, sorted. */
export async function listWorkers(client: ApiClient): Promise<readonly string[]> {
  const { items } = await client.list<Node>(resourceRefs.nodes)
  return schedulable(items).map(({ metadata }) => metadata.name ?? '')
}

/**
 * Refuses a cluster with fewer than two usable workers.
 *
 * @throws CannotRunError that names the workers, when fewer than two are ready.
 */
export function requireTwoWorkers(nodes: readonly Node[]): void {
  const ready = schedulable(nodes).filter(({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  )
  if (ready.length >= 2) return
  const names = ready.map(({ metadata }) => metadata.name ?? '').join(', ')
  throw new CannotRunError(
    `The scenarios need two workers that are ready, not cordoned and without taints; of the cluster’s ${nodes.length} nodes, these are usable: ${names || 'none'}. Add nodes, or test another cluster.`,
  )
}
