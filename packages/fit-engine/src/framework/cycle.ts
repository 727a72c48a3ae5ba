import { type Candidates, type InsufficientResource, type Pod, StatusCode } from '@berth/types'
import type { ClusterTable } from '../state/cluster-table.ts'
import { RowDryRun } from '../state/row-dry-run.ts'
import type { EngineContext, EnginePlugin } from './engine-plugin.ts'
import { FilterSink } from './filter-sink.ts'
import type { Framework } from './framework.ts'
import type { HookMeter, HookPoint } from './hook-meter.ts'
import { guarded, PluginFailure } from './plugin-failure.ts'

/** A status other than Success: what a filter, or a preFilter for all nodes, answered. */
export interface Refusal {
  /** '' where the framework itself refused. */
  readonly plugin: string
  readonly code: StatusCode
  readonly reasons: readonly string[]
}

/** A plugin with what it keeps during one cycle. */
export interface Participant {
  readonly plugin: EnginePlugin
  readonly weight: number
  readonly context: EngineContext
  /** preFilter said that filter has nothing to say. */
  isFilterSkipped: boolean
}

/** What the cycle reads of the world. */
export interface CycleInput {
  readonly nowMs: number
  readonly random: () => number
  readonly meter?: HookMeter
}

class Context implements EngineContext {
  readonly cluster: ClusterTable
  readonly nowMs: number
  readonly random: () => number
  #state: Map<string, unknown> | undefined

  constructor(cluster: ClusterTable, input: CycleInput) {
    this.cluster = cluster
    this.nowMs = input.nowMs
    this.random = input.random
  }

  get state(): Map<string, unknown> {
    return (this.#state ??= new Map())
  }
}

/** Changes on one row that end with it. */
export interface Trial extends Disposable {
  add(pod: Pod): void
  remove(pod: Pod): void
}

/** Filter sinks by cluster state, left by an earlier cycle for the next one. */
const idleSinksByTable = new WeakMap<ClusterTable, FilterSink[]>()

function idleSinksOf(table: ClusterTable): FilterSink[] {
  let sinks = idleSinksByTable.get(table)
  if (sinks === undefined) idleSinksByTable.set(table, (sinks = []))
  return sinks
}

/** One pod, one cluster state, one pass through a profile. */
export class Cycle {
  readonly table: ClusterTable
  readonly pod: Pod
  readonly participants: readonly Participant[]
  /** For questions about one row; most cycles ask none. */
  #lone: { readonly candidates: Candidates; readonly sink: FilterSink } | undefined
  readonly #meter: HookMeter | undefined
  readonly #idleSinks: FilterSink[]

  constructor(framework: Framework, table: ClusterTable, pod: Pod, input: CycleInput) {
    this.table = table
    this.pod = pod
    this.#meter = input.meter
    this.#idleSinks = idleSinksOf(table)
    this.participants = framework.plugins.map(({ plugin, weight }) => ({
      plugin,
      weight,
      context: new Context(table, input),
      isFilterSkipped: false,
    }))
  }

  /** Runs a hook: what it throws names the plugin, and its time is accounted for. */
  run<T>(plugin: string, point: HookPoint, hook: () => T): T {
    const meter = this.#meter
    if (meter === undefined) return guarded(plugin, point, hook)
    const startMs = meter.now()
    try {
      return guarded(plugin, point, hook)
    } finally {
      meter.spent(plugin, point, meter.now() - startMs)
    }
  }

  /** Runs one filter and says whether it rejected any. */
  filter({ plugin, context }: Participant, candidates: Candidates, sink: FilterSink): boolean {
    sink.start(candidates.count)
    this.run(plugin.name, 'Filter', () => plugin.filter?.(this.pod, candidates, sink, context))
    return sink.hasRejected
  }

  /** As {@link Cycle.filter}, without reasons: see {@link EnginePlugin.keep}. */
  keep({ plugin, context }: Participant, candidates: Candidates, target: Int32Array): number {
    const { count } = candidates
    return this.run(plugin.name, 'Filter', () => plugin.keep?.(this.pod, candidates, target, context)) ?? count
  }

  /** A sink that an earlier pass over the table left; a pass that breaks off leaves none. */
  takeSink(count: number): FilterSink {
    const free = this.#idleSinks.pop()
    return free !== undefined && free.capacity >= count ? free : new FilterSink(count)
  }

  /** Leaves the sink to the next pass. */
  giveBack(sink: FilterSink): void {
    this.#idleSinks.push(sink)
  }

  /** What the filter said of candidate `i`, which it rejected; a code that is no verdict on a node breaks the cycle. */
  refusal({ plugin: { name } }: Participant, sink: FilterSink, i: number): Refusal {
    const code = sink.codes[i]
    const reasons = sink.reasonsOf(i)
    if (code === StatusCode.Unschedulable || code === StatusCode.UnschedulableAndUnresolvable) {
      return { plugin: name, code, reasons }
    }
    const reason = reasons.join(', ') || `it answered with code ${code}`
    throw new PluginFailure(name, `running Filter plugin "${name}": ${reason}`)
  }

  /** Runs the filters on one row, up to the first that refuses. */
  filterRow(row: number): Refusal | undefined {
    const { candidates, sink } = (this.#lone ??= {
      candidates: { rows: new Int32Array(1), count: 1 },
      sink: new FilterSink(1),
    })
    candidates.rows[0] = row
    for (const participant of this.participants) {
      if (participant.isFilterSkipped || participant.plugin.filter === undefined) continue
      if (this.filter(participant, candidates, sink)) return this.refusal(participant, sink, 0)
    }
    return undefined
  }

  /** As {@link Cycle.filterRow}, while `added` count on the row too. */
  filterRowWith(row: number, added: readonly Pod[]): Refusal | undefined {
    using trial = this.trial(row)
    for (const pod of added) trial.add(pod)
    return this.filterRow(row)
  }

  /** Filters the row as the framework does: also beside the pods that are nominated for it. */
  filterRowBesideNominated(row: number, nominated: readonly Pod[]): Refusal | undefined {
    return (nominated.length > 0 ? this.filterRowWith(row, nominated) : undefined) ?? this.filterRow(row)
  }

  /** Whether the row passes as it is now, beside the pods that are nominated for it; where a filter breaks it does not. */
  fitsRow(row: number, nominated: readonly Pod[]): boolean {
    try {
      return this.filterRowBesideNominated(row, nominated) === undefined
    } catch (error) {
      if (error instanceof PluginFailure) return false
      throw error
    }
  }

  /** Lets pods come and leave for a while; plugins that count pods are told. Ends by disposing. */
  trial(row: number): Trial {
    const trial = new RowDryRun(this.table, row)
    const told: { pod: Pod; isAdded: boolean }[] = []
    const change = (pod: Pod, isAdded: boolean): void => {
      if (isAdded) trial.add(pod)
      else trial.remove(pod)
      told.push({ pod, isAdded })
      this.#tell(row, pod, isAdded)
    }
    return {
      add: (pod) => change(pod, true),
      remove: (pod) => change(pod, false),
      [Symbol.dispose]: () => {
        for (const { pod, isAdded } of told.toReversed()) this.#tell(row, pod, !isAdded)
        trial.restore()
      },
    }
  }

  /** Rows outside of which some filter is sure to reject; undefined: no filter knows a short cut. */
  shortlist(): Int32Array | undefined {
    let shortest: Int32Array | undefined
    for (const { plugin, context, isFilterSkipped } of this.participants) {
      if (isFilterSkipped || plugin.shortlist === undefined) continue
      const rows = guarded(plugin.name, 'Filter', () => plugin.shortlist?.(this.pod, context))
      if (rows !== undefined && (shortest === undefined || rows.length < shortest.length)) shortest = rows
    }
    return shortest
  }

  /** The numbers behind a rejection of the row by the plugin. */
  shortages(row: number, pluginName: string): readonly InsufficientResource[] {
    const participant = this.participants.find(({ plugin }) => plugin.name === pluginName)
    return participant?.plugin.shortages?.(this.pod, row, participant.context) ?? []
  }

  #tell(row: number, other: Pod, isAdded: boolean): void {
    for (const { plugin, context, isFilterSkipped } of this.participants) {
      if (isFilterSkipped) continue
      guarded(plugin.name, 'Filter', () =>
        isAdded ? plugin.addPod?.(this.pod, other, row, context) : plugin.removePod?.(this.pod, other, row, context),
      )
    }
  }
}
