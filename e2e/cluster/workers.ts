import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import { CannotRunError } from './cannot-run.ts'

/** Put on a node by the node life cycle, and taken away again: a kubelet that restarts is a worker all the time. */
const passing: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])

/** Nodes that are no control planes, are not cordoned and have no taint that keeps pods away, by name. */
export function schedulable(nodes: readonly Node[]): readonly Node[] {
  const isOpen = ({ metadata, spec }: Node): boolean =>
    metadata.labels?.['node-role.kubernetes.io/control-plane'] === undefined &&
    spec?.unschedulable !== true &&
    !(spec?.taints ?? []).some(({ key, effect }) => effect !== 'PreferNoSchedule' && !passing.has(key))
  const nameOf = ({ metadata }: Node): string => metadata.name ?? ''
  return nodes.filter(isOpen).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** Names of the nodes that plays may use, sorted. */
export async function workersOf(client: ApiClient): Promise<readonly string[]> {
  const { items } = await client.list<Node>(resourceRefs.nodes)
  return schedulable(items).map(({ metadata }) => metadata.name ?? '')
}

/**
 * Refuses a cluster where a pod has no choice.
 *
 * @throws CannotRunError with the workers that there are, when fewer than two are ready.
 */
export function requireTwoWorkers(nodes: readonly Node[]): void {
  const ready = schedulable(nodes).filter(({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  )
  if (ready.length >= 2) return
  const names = ready.map(({ metadata }) => metadata.name ?? '').join(', ')
  throw new CannotRunError(
    `The scenarios need two workers that are ready, not cordoned and without taints; of the cluster’s ${nodes.length} nodes ${names || 'none'} will do. Add nodes, or test another cluster.`,
  )
}
