import type { ApiClient } from '@berth/k8s-client'
import { listNames } from '@berth/text/list-names'
import type { NodePlan } from '../plan/node-plan.ts'
import { readUse } from './plan-above-use.ts'

/** Maximum number of pods that are named for one resource on one node. */
const MAX_NAMED_PODS = 10

/**
 * Describes what running pods hold above the units that the plans leave them: `3 example.com/dongle on node-b
 * (default/holder)`. A node whose pods cannot be listed is described, too.
 *
 * @returns Empty when the plans take nothing from running pods.
 */
export async function describeUse(
  plans: readonly NodePlan[],
  { client, signal }: { readonly client: ApiClient; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const texts: string[] = []
  for (const plan of plans) {
    if (plan.lowered.size === 0) continue
    const use = await readUse(client, plan, signal)
    if (use.kind === 'unknown') {
      texts.push(`an unknown amount on ${plan.nodeName} (${use.reason})`)
      continue
    }
    for (const [resourceName, { to }] of plan.lowered) {
      const held = use.byResource.get(resourceName)
      if (held === undefined || held.units <= to) continue
      texts.push(`${held.units} ${resourceName} on ${plan.nodeName} (${listNames(held.pods, MAX_NAMED_PODS)})`)
    }
  }
  return texts
}
