import { StatusCode } from '@berth/types'
import type { Candidates, DecideContext, DecideHooks, Node, Pod } from '@berth/types'

/** One node with its pods and resources. Valid during one call. */
export interface NodeView {
  readonly name: string
  readonly node: Node
  /** Bound pods that have not ended, and assumed pods. */
  readonly pods: readonly Pod[]
  /** Allocatable amount in whole units, cpu in milli; 0n when the node does not offer the resource. */
  allocatable(resourceName: string): bigint
  /** Sum of the requests of `pods`, in whole units, cpu in milli. */
  requested(resourceName: string): bigint
}

/** Result of a per-node filter: `undefined` accepts the node, a text rejects it as Unschedulable. */
export type NodeVerdict = undefined | string | { readonly code: StatusCode; readonly reasons: readonly string[] }

/** Filter and score functions that see one node at a time. */
export interface PerNodeFunctions {
  filter?(pod: Pod, node: NodeView, context: DecideContext): NodeVerdict
  /** Must be in 0..100, unless the plugin also has normalizeScore. */
  score?(pod: Pod, node: NodeView, context: DecideContext): number
}

/**
 * Adapts functions that see one node at a time to batch hooks. The result has only the hooks that were given.
 * Allocates one small object per node and call. A plugin for thousands of nodes should implement the batch hooks itself.
 */
export function perNode(functions: PerNodeFunctions): DecideHooks {
  return {
    ...(functions.filter !== undefined && {
      filter(pod, candidates, output, context) {
        for (let i = 0; i < candidates.count; i++) {
          const verdict = functions.filter?.(pod, viewOf(candidates, i, context), context)
          if (typeof verdict === 'string') output.reject(i, StatusCode.Unschedulable, verdict)
          else if (verdict !== undefined) output.reject(i, verdict.code, ...verdict.reasons)
        }
      },
    }),
    ...(functions.score !== undefined && {
      score(pod, candidates, scores, context) {
        for (let i = 0; i < candidates.count; i++)
          scores[i] = functions.score?.(pod, viewOf(candidates, i, context), context) ?? 0
      },
    }),
  }
}

// Getters compute only what a function reads.
function viewOf({ rows }: Candidates, i: number, { cluster }: DecideContext): NodeView {
  const row = rows[i] ?? -1
  return {
    get name() {
      return cluster.nodeName(row)
    },
    get node() {
      return cluster.node(row)
    },
    get pods() {
      return cluster.podsOn(row)
    },
    allocatable: (resourceName) => cluster.allocatable(row, resourceName),
    requested: (resourceName) => cluster.requested(row, resourceName),
  }
}
