import { isDeepStrictEqual } from 'node:util'
import { errorText } from '@berth/text/error-text'
import type { Setup } from '../../config/setup.ts'
import type { Conflict } from '../../plan/node-plan.ts'
import type { NodeResults } from '../../write/node-results.ts'

/** Result of the last reconciliation of one node. */
export interface NodeResult {
  /** The setup that it was reconciled with. */
  readonly setup: Setup
  /** The resources that this installation owns on the node. Of a failed reconciliation, those of the one before. */
  readonly owned: ReadonlyMap<string, bigint>
  readonly conflicts: readonly Conflict[]
  readonly pending: readonly string[]
  /** Resources whose write is delayed. */
  readonly delayed: readonly string[]
  /** The error of a failed reconciliation. */
  readonly failure: string | undefined
}

/** The last result of each node. */
export interface NodeBoard extends NodeResults {
  get(nodeName: string): NodeResult | undefined
}

/**
 * Creates an empty board.
 *
 * @param onChange - Called with the names of the resources that a change of a node's result concerns; `all` if it concerns
 * every resource.
 */
export function createNodeBoard(onChange: (resourceNames: ReadonlySet<string> | 'all') => void): NodeBoard {
  const results = new Map<string, NodeResult>()

  function store(nodeName: string, result: NodeResult): void {
    const before = results.get(nodeName)
    results.set(nodeName, result)
    if (before === undefined || before.setup !== result.setup || before.failure !== result.failure)
      return onChange('all')
    if (isDeepStrictEqual(before, result)) return
    if ([...before.conflicts, ...result.conflicts].some((conflict) => !('resourceName' in conflict)))
      return onChange('all')
    onChange(new Set([...namesOf(before), ...namesOf(result)]))
  }

  return {
    get: (nodeName) => results.get(nodeName),
    reconciled: (nodeName, setup, { owned, conflicts, pending, delayed }) =>
      store(nodeName, { setup, owned, conflicts, pending, delayed, failure: undefined }),
    failed(nodeName, setup, error) {
      const owned = results.get(nodeName)?.owned ?? new Map<string, bigint>()
      store(nodeName, { setup, owned, conflicts: [], pending: [], delayed: [], failure: errorText(error) })
    },
    deleted(nodeName) {
      if (results.delete(nodeName)) onChange('all')
    },
  }
}

function namesOf({ owned, conflicts, pending, delayed }: NodeResult): readonly string[] {
  return [
    ...owned.keys(),
    ...pending,
    ...delayed,
    ...conflicts.flatMap((each) => ('resourceName' in each ? [each.resourceName] : [])),
  ]
}
