import type { ApiClient } from '@berth/k8s-client'
import { AdvertiseError } from '../errors.ts'
import { findLoweredResources, findShortfalls } from '../plan/find-shortfalls.ts'
import type { NodePlan } from '../plan/plan-node.ts'
import { listPodsOnNode } from './list-pods-on-node.ts'

/** Maximum number of pods that the error names for one resource on one node. */
const MAX_NAMED_PODS = 10

/**
 * Refuses plans that withdraw resources that running pods still use.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_IN_USE naming nodes, resources and pods.
 * @throws Errors of the client when a call fails.
 */
export async function refuseIfInUse(
  plans: readonly NodePlan[],
  { client, signal }: { readonly client: ApiClient; readonly signal: AbortSignal },
): Promise<void> {
  const inUseTexts: string[] = []
  for (const plan of plans) {
    const lowered = findLoweredResources(plan)
    if (lowered.size === 0) continue
    for (const { resourceName, inUse, pods } of findShortfalls(
      lowered,
      await listPodsOnNode(client, plan.nodeName, signal),
    )) {
      const more = pods.length > MAX_NAMED_PODS ? ` and ${pods.length - MAX_NAMED_PODS} more` : ''
      inUseTexts.push(
        `${inUse} ${resourceName} on ${plan.nodeName} (${pods.slice(0, MAX_NAMED_PODS).join(', ')}${more})`,
      )
    }
  }
  if (inUseTexts.length === 0) return
  throw new AdvertiseError(`withdraw advertised resources: running pods still use ${inUseTexts.join('; ')}`, {
    code: 'BERTH_ADVERTISER_IN_USE',
    retryable: true,
    hint: 'Delete these pods, or pass --force: no pod is evicted then, but a kubelet may refuse them after its next restart.',
  })
}
