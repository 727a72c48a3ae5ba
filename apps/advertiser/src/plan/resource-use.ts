import { resourceUsers } from '@berth/resources'
import type { Pod } from '@berth/types'

/** Units of one resource that the running pods on one node hold. */
export interface ResourceUse {
  readonly units: bigint
  /** `namespace/name` of the pods, sorted. */
  readonly pods: readonly string[]
}

/**
 * Units that the running pods on one node hold, by resource name. `unknown`: the pods could not be listed, so nothing may be
 * lowered.
 */
export type NodeUse =
  | { readonly kind: 'known'; readonly byResource: ReadonlyMap<string, ResourceUse> }
  | { readonly kind: 'unknown'; readonly reason: string }

/** Returns what `pods` hold of the named resources. A resource that no running pod holds has 0 units. */
export function resourceUse(names: Iterable<string>, pods: readonly Pod[]): NodeUse {
  const byResource = new Map<string, ResourceUse>()
  for (const name of names) {
    const users = resourceUsers(pods, name)
    const units = users.reduce((sum, user) => sum + user.units, 0n)
    byResource.set(name, { units, pods: users.map((user) => user.name) })
  }
  return { kind: 'known', byResource }
}
