import { StatusCode } from '@berth/types'
import type { Candidates, DecideContext, DecideHooks, Node, Pod } from '@berth/types'

/** One node and what counts on it, during one call. */
export interface NodeView {
  readonly name: string
  readonly node: Node
  /** Pods that count on the node: bound ones that did not end, and assumed ones. */
  readonly pods: readonly Pod[]
  /** Whole units, cpu in milli; 0n when the node does not offer it. */
  allocatable(resourceName: string): bigint
  /** Sum over `pods`; whole units, cpu in milli. */
  requested(resourceName: string): bigint
}

/** Answer of a per-node filter: `undefined` lets the node pass; a text rejects it as Unschedulable. */
export type NodeVerdict = undefined | string | { readonly code: StatusCode; readonly reasons: readonly string[] }

/** What a contributor writes for one node at a time. */
export interface PerNodeFunctions {
  filter?(pod: Pod, node: NodeView, context: DecideContext): NodeVerdict
  /** In 0..100, unless the plugin also has normalizeScore. */
  score?(pod: Pod, node: NodeView, context: DecideContext): number
}

/**
 * Makes batch hooks of functions that look at one node at a time. The result has only the hooks that were given.
 * Costs one small object per node and call; a plugin for clusters of thousands of nodes works on the batch itself.
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

// Getters, so that what a function does not ask for costs nothing.
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
