import { AdvertiseError } from './errors.ts'
import type { NodePlan } from './plan/node-plan.ts'

/**
 * Refuses plans for nodes whose record belongs to another installation.
 *
 * @param options.owner - The name of this installation.
 * @param options.purpose - Begins the error message.
 * @throws AdvertiseError BERTH_ADVERTISER_FOREIGN_OWNER naming the other installations.
 */
export function refuseForeignOwner(
  plans: readonly NodePlan[],
  { owner, purpose }: { readonly owner: string; readonly purpose: string },
): void {
  const nodesByOwner = new Map<string, number>()
  for (const plan of plans) {
    if (plan.owner === undefined || plan.owner.owner === owner) continue
    nodesByOwner.set(plan.owner.owner, (nodesByOwner.get(plan.owner.owner) ?? 0) + 1)
  }
  const owners = [...nodesByOwner].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const [first] = owners
  if (first === undefined) return
  const texts = owners.map(([name, count]) => `${name} (${count === 1 ? '1 node' : `${count} nodes`})`)
  throw new AdvertiseError(
    `${purpose}: this is installation ${owner}, and the resources on these nodes belong to ${texts.join(', ')}`,
    {
      code: 'BERTH_ADVERTISER_FOREIGN_OWNER',
      hint: `Run the command with --owner ${first[0]}, or stop that installation and run adopt --from ${first[0]}.`,
    },
  )
}
