import { errorText } from '@berth/text/error-text'
import type { ResourceSource } from '@berth/plugin-api'
import type { Clock, Node } from '@berth/types'
import type { Declaration } from '../plan/declaration.ts'
import type { DesiredUnits, ReadSource } from '../plan/desired-units.ts'
import { matchesNode } from '../plan/matches-node.ts'
import type { NodeTrimmer } from '../plan/node-trimmer.ts'
import { createConcurrencyLimiter, type ConcurrencyLimiter } from './concurrency-limiter.ts'
import { querySource, type ReadHeldUnits } from './query-source.ts'
import { amountOf, isExpired, type Reading } from './reading.ts'

/** Maximum number of concurrent queries to one source, however many nodes arrive at once. */
const CONCURRENCY = 8

/** The latest values of resource sources, by declaration and node. */
export interface SourceReadings {
  readonly read: ReadSource
  /**
   * Queries the declaration's source for each node that the declaration selects. Stores failures instead of throwing.
   *
   * @returns Names of the nodes whose amount or failure changed since the last query.
   */
  refresh(declaration: Declaration, nodes: Iterable<Node>, signal: AbortSignal): Promise<ReadonlySet<string>>
  /** Forgets a node that was deleted. */
  forget(nodeName: string): void
  /** Age of the oldest value in use for this declaration, milliseconds; undefined when there is none. */
  ageMs(declaration: Declaration): number | undefined
}

/** Options of {@link createSourceReadings}. */
export interface SourceReadingsOptions {
  /** One source for each declaration whose amount is computed. */
  readonly sources: ReadonlyMap<Declaration, ResourceSource>
  readonly clock: Clock
  readonly readHeldUnits: ReadHeldUnits
  /** Adds the fields of a node that only sources read. */
  readonly completeNode: NodeTrimmer['forSources']
  /** Called once for every failed query. */
  readonly onFailure: (declaration: Declaration, nodeName: string, error: unknown) => void
  /** Called when a node stops keeping its amount, because its source has had no good value for too long. */
  readonly onExpired: (declaration: Declaration, nodeName: string) => void
}

/** The state of one source. */
interface SourceState {
  readonly source: ResourceSource
  /** Own to the source, so that a slow one does not delay the others. */
  readonly limiter: ConcurrencyLimiter
  /** A node is added before its first query, and removed when it is forgotten. */
  readonly byNode: Map<string, NodeState>
}

/** The state of one source on one node. All fields are undefined during the first query. */
interface NodeState {
  readonly reading?: Reading
  /** Amount and failure of the last query. */
  readonly outcome?: string
  /** Whether the node had stopped keeping its amount at the last query. */
  readonly isOver?: boolean
}

/** Creates an empty store of source readings. */
export function createSourceReadings(options: SourceReadingsOptions): SourceReadings {
  const { clock, readHeldUnits, completeNode, onFailure, onExpired } = options
  const states = new Map<Declaration, SourceState>(
    [...options.sources].map(([declaration, source]) => [
      declaration,
      { source, limiter: createConcurrencyLimiter(CONCURRENCY), byNode: new Map() },
    ]),
  )

  /** Queries the source for one node. Returns whether its amount or failure changed. */
  async function refreshNode(declaration: Declaration, node: Node, signal: AbortSignal): Promise<boolean> {
    const state = states.get(declaration)
    const { amount, resourceName } = declaration
    if (state === undefined || amount.kind !== 'source' || signal.aborted) return false
    const { byNode, source } = state
    const nodeName = node.metadata.name ?? ''
    const known = byNode.get(nodeName) ?? {}
    byNode.set(nodeName, known)
    const last = known.reading ?? { sinceMs: clock.now() }
    let reading: Reading
    try {
      const queryOptions = { clock, readHeldUnits, completeNode, signal }
      const good = await querySource({ source, amount, resourceName }, node, queryOptions)
      reading = { good, sinceMs: last.sinceMs }
    } catch (error) {
      if (signal.aborted) return false
      reading = { ...last, failure: errorText(error) }
      onFailure(declaration, nodeName, error)
    }
    const before = byNode.get(nodeName)
    // The node was forgotten during the query.
    if (before === undefined) return false
    const isOver = isExpired(reading, amount, clock.now())
    const outcome = outcomeText(amountOf(reading, amount, clock.now()), reading)
    byNode.set(nodeName, { reading, outcome, isOver })
    if (isOver && before.isOver !== true) onExpired(declaration, nodeName)
    return before.outcome !== outcome || before.isOver !== isOver
  }

  return {
    read(declaration, source, nodeName) {
      const reading = states.get(declaration)?.byNode.get(nodeName)?.reading
      return reading === undefined ? { kind: 'pending' } : amountOf(reading, source, clock.now())
    },
    async refresh(declaration, nodes, signal) {
      const state = states.get(declaration)
      const changed = new Set<string>()
      if (state === undefined) return changed
      await Promise.all(
        [...nodes].map(async (node) => {
          const nodeName = node.metadata.name ?? ''
          if (!matchesNode(declaration.nodes, node)) {
            state.byNode.delete(nodeName)
            return
          }
          await state.limiter(async () => {
            if (await refreshNode(declaration, node, signal)) changed.add(nodeName)
          })
        }),
      )
      return changed
    },
    forget(nodeName) {
      for (const { byNode } of states.values()) byNode.delete(nodeName)
    },
    ageMs(declaration) {
      const observed = [...(states.get(declaration)?.byNode.values() ?? [])].flatMap(({ reading }) =>
        reading?.good === undefined ? [] : [reading.good.observedAtMs],
      )
      return observed.length === 0 ? undefined : clock.now() - observed.reduce((a, b) => Math.min(a, b))
    },
  }
}

function outcomeText(amount: DesiredUnits, { failure = '' }: Reading): string {
  return amount.kind === 'units' ? `${amount.units}` : `${amount.kind} ${failure}`
}
