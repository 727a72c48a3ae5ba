import type { ApiClient } from '@berth/k8s-client'
import { AdvertiseError } from '../errors.ts'
import { loweredNames, podsOnNode, shortfalls } from '../plan/find-shortfalls.ts'
import type { NodePlan } from '../plan/plan-node.ts'

/** Pods that are named in the refusal of one resource on one node. */
const NAMED_PODS = 10

/**
 * Refuses plans that take away what running pods still hold.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_IN_USE naming node, resource and pods; what the client throws when a call fails.
 */
export async function refuseHeld(
  plans: readonly NodePlan[],
  { client, signal }: { readonly client: ApiClient; readonly signal: AbortSignal },
): Promise<void> {
  const held: string[] = []
  for (const plan of plans) {
    const lowered = loweredNames(plan)
    if (lowered.size === 0) continue
    for (const { resourceName, inUse, pods } of shortfalls(lowered, await podsOnNode(client, plan.nodeName, signal))) {
      const more = pods.length > NAMED_PODS ? ` and ${pods.length - NAMED_PODS} more` : ''
      held.push(`${inUse} ${resourceName} on ${plan.nodeName} (${pods.slice(0, NAMED_PODS).join(', ')}${more})`)
    }
  }
  if (held.length === 0) return
  throw new AdvertiseError(`take back what Berth advertises: running pods still hold ${held.join('; ')}`, {
    code: 'BERTH_ADVERTISER_IN_USE',
    retryable: true,
    hint: 'Delete these pods, or pass --force: nothing is evicted then, but a kubelet may refuse them after its next restart.',
  })
}
