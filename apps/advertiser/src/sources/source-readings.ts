import { callHook, type ResourceSource } from '@berth/plugin-api'
import type { Clock, Node } from '@berth/types'
import { choosesNode } from '../plan/matches-node.ts'
import { MAX_UNITS, type Declaration } from '../plan/declaration.ts'
import type { SourceReading } from '../plan/desired-units.ts'
import { SourceError } from '../errors.ts'
import { createTurnstile } from './concurrency-limiter.ts'

/** Questions to one source at the same time, however many nodes arrive at once. */
const CONCURRENCY = 8

interface Reading {
  readonly units?: bigint
  readonly observedAtMs: number
  /** Why the last attempt gave nothing; undefined after a good one. */
  readonly failure?: string
}

/** What sources said, per declaration and node. */
export interface SourceReadings {
  readonly read: SourceReading
  /**
   * Asks the declaration's source for each of the nodes that it chooses. Failures are kept, not thrown.
   *
   * @returns Names of the nodes for which the answer is another one than before.
   */
  refresh(declaration: Declaration, nodes: Iterable<Node>, signal: AbortSignal): Promise<ReadonlySet<string>>
  /** Age of the oldest answer in use for this declaration, milliseconds; undefined when there is none. */
  ageMs(declaration: Declaration): number | undefined
}

/**
 * Remembers what sources answered.
 *
 * @param options.sources - One per declaration whose amount is computed.
 * @param options.timeoutMs - After this long an unanswered question counts as failed.
 * @param options.onFailure - Called once for every failed question.
 */
export function createSourceReadings(options: {
  readonly sources: ReadonlyMap<Declaration, ResourceSource>
  readonly clock: Clock
  readonly timeoutMs: number
  readonly onFailure: (declaration: Declaration, nodeName: string, error: unknown) => void
}): SourceReadings {
  const { sources, clock, timeoutMs, onFailure } = options
  // One for each source, so that a slow one holds up no other.
  const turnstiles = new Map([...sources.keys()].map((declaration) => [declaration, createTurnstile(CONCURRENCY)]))
  const readings = new Map([...sources.keys()].map((declaration) => [declaration, new Map<string, Reading>()]))

  async function ask(
    declaration: Declaration,
    source: ResourceSource,
    node: Node,
    signal: AbortSignal,
  ): Promise<boolean> {
    const nodeName = node.metadata.name ?? ''
    const known = readings.get(declaration)
    const last = known?.get(nodeName)
    const plugin = declaration.amount.kind === 'source' ? declaration.amount.plugin : ''
    try {
      const question = { plugin, hook: 'compute', deadlineMs: timeoutMs, clock, signal }
      const { units, observedAtMs } = await callHook(question, (until) => source.compute(node, until))
      const count = countOf(units, declaration, nodeName)
      known?.set(nodeName, { units: count, observedAtMs })
      return last?.units !== count || last.failure !== undefined
    } catch (error) {
      if (signal.aborted) return false
      const failure = error instanceof Error ? error.message : String(error)
      known?.set(nodeName, { observedAtMs: 0, ...last, failure })
      onFailure(declaration, nodeName, error)
      return last?.failure !== failure
    }
  }

  return {
    read(declaration, source, nodeName) {
      const reading = readings.get(declaration)?.get(nodeName)
      if (reading === undefined) return { kind: 'unknown', reason: `source ${source.plugin} has not answered yet` }
      if (reading.units === undefined) {
        return { kind: 'unknown', reason: `source ${source.plugin} failed: ${reading.failure ?? 'no answer'}` }
      }
      const ageMs = clock.now() - reading.observedAtMs
      if (ageMs <= source.maxAgeMs) return { kind: 'units', units: reading.units }
      return {
        kind: 'unknown',
        reason:
          `the answer of source ${source.plugin} is ${seconds(ageMs)} old, older than ${seconds(source.maxAgeMs)}` +
          (reading.failure === undefined ? '' : `, and asking again failed: ${reading.failure}`),
      }
    },
    async refresh(declaration, nodes, signal) {
      const source = sources.get(declaration)
      const changed = new Set<string>()
      const through = turnstiles.get(declaration)
      if (source === undefined || through === undefined) return changed
      const chosen = [...nodes].filter((node) => choosesNode(declaration.nodes, node))
      await Promise.all(
        chosen.map((node) =>
          through(async () => {
            if (signal.aborted) return
            if (await ask(declaration, source, node, signal)) changed.add(node.metadata.name ?? '')
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

function countOf(units: number | bigint, declaration: Declaration, nodeName: string): bigint {
  const count = typeof units === 'bigint' ? units : Number.isSafeInteger(units) ? BigInt(units) : -1n
  if (count >= 0n && count <= MAX_UNITS) return count
  throw new SourceError(
    `compute ${declaration.resourceName} for node ${nodeName}: the source answered ${units}, which is no whole number from 0 to 2^63-1`,
    { code: 'BERTH_ADVERTISER_SOURCE_ANSWER', retryable: true },
  )
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
