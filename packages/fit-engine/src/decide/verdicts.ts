import { type Rejection, StatusCode, type Verdict } from '@berth/types'
import type { Decision } from './decision.ts'

/**
 * Returns one verdict for each node, sorted by node name. A decision whose filters failed has none. A node that lacks a
 * resource which a DeviceClass backs is `delegated`. That is known only from the missing amounts of the decision (see
 * {@link Decision.rejected}): call this before the state changes, or such a node is `unresolvable`.
 */
export function verdicts(decision: Decision): readonly Verdict[] {
  const list: Verdict[] = decision.feasible.map((node) => ({ kind: 'fits', node }))
  for (const [node, { code, rejection }] of decision.rejected) {
    const resourceNames = delegatedNames(rejection)
    const kind = code === StatusCode.Unschedulable ? 'unschedulable' : 'unresolvable'
    list.push(
      resourceNames.length > 0 ? { kind: 'delegated', node, resourceNames } : { kind, node, rejections: [rejection] },
    )
  }
  return list.sort((a, b) => (a.node < b.node ? -1 : 1))
}

function delegatedNames({ insufficient = [] }: Rejection): readonly string[] {
  return insufficient.flatMap(({ resourceName, isDelegated }) => (isDelegated === true ? resourceName : []))
}
