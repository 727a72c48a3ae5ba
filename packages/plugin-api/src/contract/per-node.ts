import { StatusCode } from '@berth/types'
import type { Candidates, DecideContext, DecideHooks, FilterOutput, Node, Pod } from '@berth/types'
import { errorText } from '@berth/text/error-text'
import { isRejection } from '../checks/is-rejection.ts'
import { invalidResult } from '../checks/invalid-result.ts'
import { PluginError } from '../errors.ts'
import { refuseUnknownHooks } from '../checks/refuse-unknown-hooks.ts'

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

const functionNames: readonly (keyof PerNodeFunctions)[] = ['filter', 'score']

/**
 * Adapts functions that see one node at a time to batch hooks. The result has only the hooks that were given.
 * Allocates one small object per node and call. A plugin for thousands of nodes should implement the batch hooks itself.
 *
 * @throws PluginError BERTH_PLUGIN_HOOK_UNSUPPORTED for a key that is not the name of a per-node function. The hooks that
 * it returns throw PluginError BERTH_PLUGIN_RESULT when a function returns a value that its type does not allow.
 * They name the node in what a function throws.
 */
export function perNode(functions: PerNodeFunctions): DecideHooks {
  refuseUnknownHooks(functions, functionNames, 'perNode')
  return {
    ...(functions.filter !== undefined && {
      filter(pod, candidates, output, context) {
        let i = 0
        try {
          for (; i < candidates.count; i++) {
            const verdict = functions.filter?.(pod, viewOf(candidates, i, context), context)
            if (verdict !== undefined) reject(verdict, i, output, () => nodeOf(candidates, i, context))
          }
        } catch (error) {
          throw failureOn(nodeOf(candidates, i, context), error)
        }
      },
    }),
    ...(functions.score !== undefined && {
      score(pod, candidates, scores, context) {
        let i = 0
        try {
          for (; i < candidates.count; i++) {
            const score: unknown = functions.score?.(pod, viewOf(candidates, i, context), context)
            if (typeof score !== 'number' || Number.isNaN(score)) {
              const where = ` to ${nodeOf(candidates, i, context)}`
              throw invalidResult({ what: 'score gave', value: score, where, expected: 'a number from 0 to 100' })
            }
            scores[i] = score
          }
        } catch (error) {
          throw failureOn(nodeOf(candidates, i, context), error)
        }
      },
    }),
  }
}

/** Writes the rejection of candidate `i`, after a check of its shape. */
function reject(
  verdict: Exclude<NodeVerdict, undefined>,
  i: number,
  output: FilterOutput,
  nodeName: () => string,
): void {
  if (typeof verdict === 'string' && verdict !== '') {
    output.reject(i, StatusCode.Unschedulable, verdict)
    return
  }
  if (!isRejection(verdict)) {
    throw invalidResult({
      what: 'filter returned',
      value: verdict,
      where: ` for node ${nodeName()}`,
      expected: 'undefined to accept the node, a reason that is not empty, or { code, reasons }',
    })
  }
  if (verdict.code === StatusCode.Success) {
    throw invalidResult({
      what: 'filter returned the code',
      value: verdict.code,
      where: ` for node ${nodeName()}, which is not a rejection`,
      expected: 'undefined to accept the node',
    })
  }
  output.reject(i, verdict.code, ...verdict.reasons)
}

/** Names the node in what a function threw. The errors of invalid results name it already. */
function failureOn(nodeName: string, error: unknown): Error {
  return error instanceof PluginError ? error : new Error(`${errorText(error)}, for node ${nodeName}`, { cause: error })
}

function nodeOf({ rows }: Candidates, i: number, { cluster }: DecideContext): string {
  return cluster.nodeName(rows[i] ?? -1)
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
