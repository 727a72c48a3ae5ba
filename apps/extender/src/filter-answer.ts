import { type NodeVerdicts, type ReasonGroup, reasonsByNode } from '@berth/scheduler-config'
import type { ExtenderFilterResult, KubernetesList, Node } from '@berth/types'

/**
 * The response of a filter call that was evaluated. The maps of reasons are built at each use. The text of the response is
 * written without them: a call names thousands of nodes, and most of them have one of few reasons.
 */
export class FilterAnswer implements ExtenderFilterResult {
  readonly Nodes: KubernetesList<Node> | null
  readonly NodeNames: readonly string[] | null
  readonly Error: string = ''
  readonly #verdicts: NodeVerdicts

  /** @param nodes - The nodes of the call that passed, if it contained whole nodes; otherwise null. */
  constructor(verdicts: NodeVerdicts, nodes: KubernetesList<Node> | null) {
    this.Nodes = nodes
    this.NodeNames = nodes === null ? verdicts.passed : null
    this.#verdicts = verdicts
  }

  get FailedNodes(): Readonly<Record<string, string>> {
    return reasonsByNode(this.#verdicts.failed)
  }

  get FailedAndUnresolvableNodes(): Readonly<Record<string, string>> {
    return reasonsByNode(this.#verdicts.unresolvable)
  }

  /** Returns the number of nodes in each map. */
  rejectedCounts(): { readonly failed: number; readonly unresolvable: number } {
    const { failed, unresolvable } = this.#verdicts
    return { failed: countNodes(failed), unresolvable: countNodes(unresolvable) }
  }

  /** Returns the response as JSON text. */
  toText(): string {
    const { failed, unresolvable } = this.#verdicts
    const fields = {
      Nodes: JSON.stringify(this.Nodes),
      NodeNames: JSON.stringify(this.NodeNames),
      FailedNodes: writeReasons(failed),
      FailedAndUnresolvableNodes: writeReasons(unresolvable),
      Error: '""',
    }
    return `{${Object.entries(fields)
      .map(([name, text]) => `"${name}":${text}`)
      .join(',')}}`
  }
}

function countNodes(groups: readonly ReasonGroup[]): number {
  return groups.reduce((sum, { nodeNames }) => sum + nodeNames.length, 0)
}

function writeReasons(groups: readonly ReasonGroup[]): string {
  return `{${groups.map((group) => writeGroup(group)).join(',')}}`
}

/** A name without signs that JSON escapes, as every name of a node is. */
const PLAIN = /^[-.\w]*$/

function writeGroup({ reason, nodeNames }: ReasonGroup): string {
  const value = JSON.stringify(reason)
  // One join needs no memory for each node.
  if (PLAIN.test(nodeNames.join(''))) return `"${nodeNames.join(`":${value},"`)}":${value}`
  return nodeNames.map((name) => `${JSON.stringify(name)}:${value}`).join(',')
}
