import { type NodeVerdicts, type ReasonGroup, reasonsByNode } from '@berth/scheduler-config'
import type { ExtenderFilterResult, KubernetesList, Node } from '@berth/types'
import type { JsonBytes } from './json-bytes.ts'

/**
 * The response of a filter call that was evaluated. The maps of reasons are built at each use. The response is
 * written without them: a call names thousands of nodes, and most of them have one of few reasons.
 */
export class FilterAnswer implements ExtenderFilterResult {
  readonly Nodes: KubernetesList<Node> | null
  readonly NodeNames: readonly string[] | null
  readonly Error: string = ''
  readonly #verdicts: NodeVerdicts
  readonly #hasPlainNames: boolean

  /**
   * @param nodes - The nodes of the call that passed, if it contained whole nodes; otherwise null.
   * @param hasPlainNames - Whether JSON escapes nothing in the names of the call.
   */
  constructor(verdicts: NodeVerdicts, nodes: KubernetesList<Node> | null, hasPlainNames = false) {
    this.Nodes = nodes
    this.NodeNames = nodes === null ? verdicts.passed : null
    this.#verdicts = verdicts
    this.#hasPlainNames = hasPlainNames
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

  writeTo(bytes: JsonBytes): void {
    const { failed, unresolvable } = this.#verdicts
    bytes.raw(`{"Nodes":${JSON.stringify(this.Nodes)},"NodeNames":`)
    if (this.NodeNames === null) bytes.raw('null')
    else this.#writeNames(bytes, this.NodeNames)
    bytes.raw(',"FailedNodes":')
    this.#writeReasons(bytes, failed)
    bytes.raw(',"FailedAndUnresolvableNodes":')
    this.#writeReasons(bytes, unresolvable)
    bytes.raw(',"Error":""}')
  }

  #writeNames(bytes: JsonBytes, names: readonly string[]): void {
    if (!this.#hasPlainNames) {
      bytes.texts(names)
      return
    }
    bytes.raw('[')
    bytes.plainTexts(names, ',')
    bytes.raw(']')
  }

  #writeReasons(bytes: JsonBytes, groups: readonly ReasonGroup[]): void {
    if (this.#hasPlainNames) writePlainReasons(bytes, groups)
    else writeReasons(bytes, groups)
  }
}

function countNodes(groups: readonly ReasonGroup[]): number {
  return groups.reduce((sum, { nodeNames }) => sum + nodeNames.length, 0)
}

/** Writes what {@link writeReasons} does, several times as fast, for names in which JSON escapes nothing. */
function writePlainReasons(bytes: JsonBytes, groups: readonly ReasonGroup[]): void {
  bytes.raw('{')
  let isFirst = true
  for (const { reason, nodeNames } of groups) {
    if (nodeNames.length === 0) continue
    if (!isFirst) bytes.raw(',')
    isFirst = false
    const value = `:${JSON.stringify(reason)}`
    bytes.plainTexts(nodeNames, `${value},`)
    bytes.raw(value)
  }
  bytes.raw('}')
}

function writeReasons(bytes: JsonBytes, groups: readonly ReasonGroup[]): void {
  bytes.raw('{')
  let isFirst = true
  for (const { reason, nodeNames } of groups) {
    const value = Buffer.from(`:${JSON.stringify(reason)}`)
    for (const name of nodeNames) {
      if (!isFirst) bytes.encoded(COMMA)
      isFirst = false
      bytes.text(name)
      bytes.encoded(value)
    }
  }
  bytes.raw('}')
}

const COMMA = Buffer.from(',')
