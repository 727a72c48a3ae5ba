import type { Pod } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import { annotateForBinding } from '../decide/annotate-for-binding.ts'
import { decide } from '../decide/decide.ts'
import type { DecideOptions } from '../decide/decision.ts'
import type { Framework } from '../framework/framework.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import { NODE_UNSCHEDULABLE } from '../state/nodes/node-rows.ts'
import { assumeVolumes } from '../plugins/volume-binding/assume-volumes.ts'
import { requestedAmounts } from './resource-usage.ts'

const DEFAULT_LIMIT = 1000

/** The largest free amount of one resource on a single node; cordoned nodes do not count. */
export interface FreeBlock {
  readonly resourceName: string
  /** Empty when there is no schedulable node. */
  readonly node: string
  /** Whole units; cpu in milli. */
  readonly free: bigint
}

/** Result of {@link plan}. */
export interface Plan {
  /** Number of copies that were placed. */
  readonly count: number
  /** Whether counting stopped at the limit, so that more might fit. */
  readonly isLimited: boolean
  /** Copies by node name, in the order in which nodes were first chosen. */
  readonly byNode: ReadonlyMap<string, number>
  /** The {@link Decision.message} of the copy that did not fit; empty when counting stopped at the limit. */
  readonly message: string
  /** For each resource that the pod requests, after all copies are placed. */
  readonly largestFree: readonly FreeBlock[]
}

function copyOf(pod: Pod, index: number): Pod {
  const { name = 'pod', uid = '' } = pod.metadata
  const metadata = { ...pod.metadata, name: `${name}-${index}`, uid: `${uid}#${index}` }
  return { ...pod, metadata }
}

function largestFree(table: ClusterTable, resourceName: string): FreeBlock {
  let best: FreeBlock | undefined
  for (const row of table.rows.liveRows()) {
    if (((table.rows.flags[row] ?? 0) & NODE_UNSCHEDULABLE) !== 0) continue
    const free = table.allocatable(row, resourceName) - table.requested(row, resourceName)
    if (best === undefined || free > best.free) best = { resourceName, node: table.nodeName(row), free }
  }
  return best ?? { resourceName, node: '', free: 0n }
}

/**
 * Returns how many more copies of the pod fit and where. Places one after the other on a fork of the state, each on its
 * best node.
 *
 * @param options - `limit` is the maximum number of copies. Default: 1000.
 * @throws BindingAnnotationsError BERTH_FIT_ANNOTATIONS when a bindingAnnotations hook fails for a copy.
 */
export function plan(
  framework: Framework,
  state: ClusterState,
  pod: Pod,
  options: DecideOptions & { readonly limit?: number },
): Plan {
  const { limit = DEFAULT_LIMIT } = options
  const table = tableOf(state).fork()
  const byNode = new Map<string, number>()
  let count = 0
  let message = ''
  while (count < limit) {
    const copy = copyOf(pod, count)
    const decision = decide(framework, table, copy, { ...options, rejections: 'when-none-fits' })
    const node = decision.best[0] ?? decision.feasible[0]
    if (node === undefined) {
      message = decision.message
      break
    }
    assumeVolumes(table, copy, node)
    table.assume(annotateForBinding(framework, table, copy, node, options).pod, node)
    byNode.set(node, (byNode.get(node) ?? 0) + 1)
    count += 1
  }
  const free = Array.from(requestedAmounts(pod).keys(), (resourceName) => largestFree(table, resourceName))
  return { count, isLimited: count === limit, byNode, message, largestFree: free }
}
