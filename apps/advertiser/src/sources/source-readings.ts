import { errorText } from '@berth/text/error-text'
import { callHook, type ResourceSource } from '@berth/plugin-api'
import type { Clock, Node } from '@berth/types'
import { SourceError } from '../errors.ts'
import { MAX_UNITS, type Declaration } from '../plan/declaration.ts'
import type { ReadSource } from '../plan/desired-units.ts'
import { matchesNode } from '../plan/matches-node.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'

/** Maximum number of concurrent queries to one source, however many nodes arrive at once. */
const CONCURRENCY = 8

interface Reading {
  readonly units?: bigint
  readonly observedAtMs: number
  /** Error text of the last query; undefined after a success. */
  readonly failure?: string
}

/** The latest values of resource sources, by declaration and node. */
export interface SourceReadings {
  readonly read: ReadSource
  /**
   * Queries the declaration's source for each node that the declaration selects. Stores failures instead of throwing.
   *
   * @returns Names of the nodes whose value or failure changed.
   */
  refresh(declaration: Declaration, nodes: Iterable<Node>, signal: AbortSignal): Promise<ReadonlySet<string>>
  /** Age of the oldest value in use for this declaration, milliseconds; undefined when there is none. */
  ageMs(declaration: Declaration): number | undefined
}

/**
 * Creates an empty store of source readings.
 *
 * @param options.sources - One source for each declaration whose amount is computed.
 * @param options.timeoutMs - A query that takes longer fails.
 * @param options.onFailure - Called once for every failed query.
 */
export function createSourceReadings(options: {
  readonly sources: ReadonlyMap<Declaration, ResourceSource>
  readonly clock: Clock
  readonly timeoutMs: number
  readonly onFailure: (declaration: Declaration, nodeName: string, error: unknown) => void
}): SourceReadings {
  const { sources, clock, timeoutMs, onFailure } = options
  // One limiter per source, so that a slow source does not delay the others.
  const limiters = new Map(
    [...sources.keys()].map((declaration) => [declaration, createConcurrencyLimiter(CONCURRENCY)]),
  )
  const readings = new Map([...sources.keys()].map((declaration) => [declaration, new Map<string, Reading>()]))

  /** Queries the source for one node. Returns whether the stored reading changed. */
  async function querySource(
    declaration: Declaration,
    source: ResourceSource,
    node: Node,
    signal: AbortSignal,
  ): Promise<boolean> {
    const nodeName = node.metadata.name ?? ''
    const byNode = readings.get(declaration)
    const last = byNode?.get(nodeName)
    const plugin = declaration.amount.kind === 'source' ? declaration.amount.plugin : ''
    try {
      const call = { plugin, hook: 'compute', deadlineMs: timeoutMs, clock, signal }
      const { units, observedAtMs } = await callHook(call, (until) => source.compute(node, until))
      const checked = checkUnits(units, declaration, { nodeName, plugin })
      byNode?.set(nodeName, { units: checked, observedAtMs })
      return last?.units !== checked || last.failure !== undefined
    } catch (error) {
      if (signal.aborted) return false
      const failure = errorText(error)
      byNode?.set(nodeName, { observedAtMs: 0, ...last, failure })
      onFailure(declaration, nodeName, error)
      return last?.failure !== failure
    }
  }

  return {
    read(declaration, source, nodeName) {
      const reading = readings.get(declaration)?.get(nodeName)
      if (reading === undefined) return { kind: 'pending' }
      if (reading.units === undefined) {
        return { kind: 'unknown', reason: `source ${source.plugin} failed: ${reading.failure ?? 'no answer'}` }
      }
      const ageMs = clock.now() - reading.observedAtMs
      if (ageMs <= source.maxAgeMs) return { kind: 'units', units: reading.units }
      return {
        kind: 'unknown',
        reason:
          `the last value of source ${source.plugin} is ${formatSeconds(ageMs)} old, which is more than the allowed ` +
          formatSeconds(source.maxAgeMs) +
          (reading.failure === undefined ? '' : `, and the latest query failed: ${reading.failure}`),
      }
    },
    async refresh(declaration, nodes, signal) {
      const source = sources.get(declaration)
      const changed = new Set<string>()
      const limiter = limiters.get(declaration)
      if (source === undefined || limiter === undefined) return changed
      const selected = [...nodes].filter((node) => matchesNode(declaration.nodes, node))
      await Promise.all(
        selected.map((node) =>
          limiter(async () => {
            if (signal.aborted) return
            if (await querySource(declaration, source, node, signal)) changed.add(node.metadata.name ?? '')
          }),
        ),
      )
      return changed
    },
    ageMs(declaration) {
      const known = [...(readings.get(declaration)?.values() ?? [])].filter(({ units }) => units !== undefined)
      return known.length === 0 ? undefined : clock.now() - Math.min(...known.map(({ observedAtMs }) => observedAtMs))
    },
  }
}

function checkUnits(
  units: number | bigint,
  { resourceName }: Declaration,
  { nodeName, plugin }: { readonly nodeName: string; readonly plugin: string },
): bigint {
  const count = typeof units === 'bigint' ? units : Number.isSafeInteger(units) ? BigInt(units) : -1n
  if (count >= 0n && count <= MAX_UNITS) return count
  throw new SourceError(
    `compute ${resourceName} for node ${nodeName}: source ${plugin} returned ${units}, which is not a whole number from 0 to 2^63-1`,
    { code: 'BERTH_ADVERTISER_SOURCE_ANSWER', retryable: true },
  )
}

function formatSeconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
