import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { boundPodRequest, isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { NodePlan } from './plan-node.ts'

/** A resource of which running pods use more than the node will offer. */
export interface Shortfall {
  readonly resourceName: string
  /** What the node will offer; 0 when the name is taken back. */
  readonly units: bigint
  readonly inUse: bigint
  /** `namespace/name` of the pods that hold units, sorted. */
  readonly pods: readonly string[]
}

/** Names that the plan lowers or takes away; only for these the node's pods matter. */
export function loweredNames(plan: NodePlan): ReadonlyMap<string, bigint> {
  const lowered = new Map<string, bigint>()
  for (const change of plan.changes) {
    if (change.kind === 'record') continue
    const units = change.kind === 'set' ? change.units : 0n
    if (units < (change.found.allocatable ?? 0n)) lowered.set(change.resourceName, units)
  }
  return lowered
}

/**
 * Where lowering goes below what running pods use. Nothing is evicted by it, but the kubelet may refuse to
 * admit such pods again after its next restart (`OutOf<resource>`).
 */
export function shortfalls(lowered: ReadonlyMap<string, bigint>, pods: readonly Pod[]): readonly Shortfall[] {
  const running = pods.filter((pod) => !isTerminal(pod)).map((pod) => ({ pod, request: boundPodRequest(pod).scalar }))
  return [...lowered].flatMap(([resourceName, units]) => {
    const holders = running.filter(({ request }) => (request.get(resourceName) ?? 0n) > 0n)
    const inUse = holders.reduce((sum, { request }) => sum + (request.get(resourceName) ?? 0n), 0n)
    if (inUse <= units) return []
    const names = holders.map(({ pod }) => `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name ?? ''}`)
    return [{ resourceName, units, inUse, pods: names.toSorted() }]
  })
}

/** The pods that are bound to a node. */
export async function podsOnNode(client: ApiClient, nodeName: string, signal?: AbortSignal): Promise<readonly Pod[]> {
  const { items } = await client.list<Pod>(resourceRefs.pods, {
    fieldSelector: `spec.nodeName=${nodeName}`,
    ...(signal !== undefined && { signal }),
  })
  return items
}
