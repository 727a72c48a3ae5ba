import { type Candidates, type InsufficientResource, type Pod, StatusCode } from '@berth/types'
import type { ClusterTable } from '../state/cluster-table.ts'
import { RowDryRun } from '../state/row-dry-run.ts'
import type { EngineContext, EnginePlugin } from './engine-plugin.ts'
import { FilterSink } from './filter-sink.ts'
import type { Framework } from './framework.ts'
import type { EvaluationCounter, HookMeter, HookPoint } from './hook-meter.ts'
import { PluginFailure, runHook } from './plugin-failure.ts'

/** A status other than Success, of one filter for one node or of a preFilter for all nodes. */
export interface RejectionStatus {
  /** Name of the plugin that rejected; empty when the framework itself did. */
  readonly plugin: string
  readonly code: StatusCode
  readonly reasons: readonly string[]
}

/** A plugin with its state during one cycle. */
export interface CyclePlugin {
  readonly plugin: EnginePlugin
  readonly weight: number
  readonly context: EngineContext
  /** Whether preFilter returned skip, so that filter does not run. */
  isFilterSkipped: boolean
}

/** Inputs of a cycle besides pod and cluster state. */
export interface CycleInput {
  readonly nowMs: number
  readonly random: () => number
  readonly meter?: HookMeter
  readonly evaluations?: EvaluationCounter
}

class CycleContext implements EngineContext {
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

/** Adds pods to one row and removes pods from it until it is disposed. */
export interface DryRun extends Disposable {
  add(pod: Pod): void
  remove(pod: Pod): void
}

/** By cluster state: the filter sinks that no cycle currently uses. */
const idleSinksByTable = new WeakMap<ClusterTable, FilterSink[]>()

function idleSinksOf(table: ClusterTable): FilterSink[] {
  let sinks = idleSinksByTable.get(table)
  if (sinks === undefined) idleSinksByTable.set(table, (sinks = []))
  return sinks
}

/** One pass of one pod through the plugins of a profile, on one cluster state. */
export class Cycle {
  readonly framework: Framework
  readonly table: ClusterTable
  readonly pod: Pod
  readonly plugins: readonly CyclePlugin[]
  /** The same plugins in the order in which their filters run. */
  readonly filters: readonly CyclePlugin[]
  /** Buffers of {@link Cycle.filterRow}, made when it first runs. */
  #singleRow: { readonly candidates: Candidates; readonly sink: FilterSink } | undefined
  readonly #meter: HookMeter | undefined
  readonly #evaluations: EvaluationCounter | undefined
  readonly #idleSinks: FilterSink[]

  constructor(framework: Framework, table: ClusterTable, pod: Pod, input: CycleInput) {
    this.framework = framework
    this.table = table
    this.pod = pod
    this.#meter = input.meter
    this.#evaluations = input.evaluations
    this.#idleSinks = idleSinksOf(table)
    this.plugins = framework.plugins.map(({ plugin, weight }) => ({
      plugin,
      weight,
      context: new CycleContext(table, input),
      isFilterSkipped: false,
    }))
    this.filters = framework.filterOrder?.flatMap((position) => this.plugins[position] ?? []) ?? this.plugins
  }

  /** Runs a hook, measures its time, and names the plugin in what it throws. */
  run<T>(plugin: string, point: HookPoint, hook: () => T): T {
    const meter = this.#meter
    if (meter === undefined) return runHook(plugin, point, hook)
    const startMs = meter.now()
    try {
      return runHook(plugin, point, hook)
    } finally {
      meter.spent(plugin, point, meter.now() - startMs)
    }
  }

  /** Runs a hook that may return undefined, and then its time is not measured. */
  runOptional<T>(plugin: string, point: HookPoint, hook: () => T | undefined): T | undefined {
    const startMs = this.#meter?.now() ?? 0
    const result = runHook(plugin, point, hook)
    if (result !== undefined) this.#meter?.spent(plugin, point, this.#meter.now() - startMs)
    return result
  }

  /** Counts evaluations of a plugin. */
  countEvaluations(plugin: string, point: HookPoint, count: number): void {
    this.#evaluations?.add(plugin, point, count)
  }

  /** Runs one filter and returns whether it rejected a candidate. */
  filter({ plugin, context }: CyclePlugin, candidates: Candidates, sink: FilterSink): boolean {
    sink.start(candidates.count)
    this.countEvaluations(plugin.name, 'Filter', candidates.count)
    this.run(plugin.name, 'Filter', () => plugin.filter?.(this.pod, candidates, sink, context))
    return sink.hasRejected
  }

  /** Runs one filter without recording reasons: see {@link EnginePlugin.filterRows}. */
  filterRows({ plugin, context }: CyclePlugin, candidates: Candidates, target: Int32Array): number {
    const { count } = candidates
    this.countEvaluations(plugin.name, 'Filter', count)
    return this.run(plugin.name, 'Filter', () => plugin.filterRows?.(this.pod, candidates, target, context)) ?? count
  }

  /** Takes an idle sink, or creates one. A cycle that throws does not return its sink. */
  takeSink(count: number): FilterSink {
    const idle = this.#idleSinks.pop()
    return idle !== undefined && idle.capacity >= count ? idle : new FilterSink(count)
  }

  /** Gives back a sink, so that a later cycle can reuse it. */
  returnSink(sink: FilterSink): void {
    this.#idleSinks.push(sink)
  }

  /**
   * Returns the status with which the filter rejected candidate `i`, which is the node of `row`.
   *
   * @throws PluginFailure when the code is not a verdict on a node, or a contributed plugin gave no reason for it.
   */
  rejectionOf({ plugin }: CyclePlugin, sink: FilterSink, i: number, row: number): RejectionStatus {
    const { name, isContributed = false } = plugin
    const code = sink.codes[i]
    const reasons = sink.reasonsOf(i)
    if (code === StatusCode.Unschedulable || code === StatusCode.UnschedulableAndUnresolvable) {
      if (isContributed && reasons.length === 0) {
        const where = `code ${code} for node ${this.table.nodeName(row)} without a reason`
        const text = `running Filter plugin "${name}": filter wrote ${where}, expected output.reject(i, code, reason)`
        throw new PluginFailure(name, 'Filter', text)
      }
      return { plugin: name, code, reasons }
    }
    const reason = reasons.join(', ') || `it returned code ${code}`
    throw new PluginFailure(name, 'Filter', `running Filter plugin "${name}": ${reason}`)
  }

  /** Runs the filters on one row, up to the first that rejects it. */
  filterRow(row: number): RejectionStatus | undefined {
    const { candidates, sink } = (this.#singleRow ??= {
      candidates: { rows: new Int32Array(1), count: 1 },
      sink: new FilterSink(1),
    })
    candidates.rows[0] = row
    for (const entry of this.filters) {
      if (entry.isFilterSkipped || entry.plugin.filter === undefined) continue
      if (this.filter(entry, candidates, sink)) return this.rejectionOf(entry, sink, 0, row)
    }
    return undefined
  }

  /** Runs {@link Cycle.filterRow} while `added` count on the row too. */
  filterRowWith(row: number, added: readonly Pod[]): RejectionStatus | undefined {
    using dryRun = this.dryRun(row)
    for (const pod of added) dryRun.add(pod)
    return this.filterRow(row)
  }

  /** Filters the row with and without the pods that are nominated for it; both must pass. */
  filterRowWithNominated(row: number, nominated: readonly Pod[]): RejectionStatus | undefined {
    return (nominated.length > 0 ? this.filterRowWith(row, nominated) : undefined) ?? this.filterRow(row)
  }

  /** Returns whether the row passes {@link Cycle.filterRowWithNominated}; false when a filter fails. */
  fitsRow(row: number, nominated: readonly Pod[]): boolean {
    try {
      return this.filterRowWithNominated(row, nominated) === undefined
    } catch (error) {
      if (error instanceof PluginFailure) return false
      throw error
    }
  }

  /** Starts a dry run on the row. Plugins that count pods are notified of every change and of its reversal. */
  dryRun(row: number): DryRun {
    const rowState = new RowDryRun(this.table, row)
    const changes: { pod: Pod; isAdded: boolean }[] = []
    const change = (pod: Pod, isAdded: boolean): void => {
      if (isAdded) rowState.add(pod)
      else rowState.remove(pod)
      changes.push({ pod, isAdded })
      this.#notify(row, pod, isAdded)
    }
    return {
      add: (pod) => change(pod, true),
      remove: (pod) => change(pod, false),
      [Symbol.dispose]: () => {
        for (const { pod, isAdded } of changes.toReversed()) this.#notify(row, pod, !isAdded)
        rowState.restore()
      },
    }
  }

  /** Returns rows outside of which some filter rejects every node; undefined when no filter has such an index. */
  shortlist(): Int32Array | undefined {
    let shortest: Int32Array | undefined
    for (const { plugin, context, isFilterSkipped } of this.plugins) {
      if (isFilterSkipped || plugin.shortlist === undefined) continue
      const rows = runHook(plugin.name, 'Filter', () => plugin.shortlist?.(this.pod, context))
      if (rows !== undefined && (shortest === undefined || rows.length < shortest.length)) shortest = rows
    }
    return shortest
  }

  /** Returns the amounts behind the plugin's rejection of the row. */
  shortages(row: number, pluginName: string): readonly InsufficientResource[] {
    const entry = this.plugins.find(({ plugin }) => plugin.name === pluginName)
    return entry?.plugin.shortages?.(this.pod, row, entry.context) ?? []
  }

  #notify(row: number, other: Pod, isAdded: boolean): void {
    for (const { plugin, context, isFilterSkipped } of this.plugins) {
      if (isFilterSkipped) continue
      runHook(plugin.name, 'Filter', () =>
        isAdded ? plugin.addPod?.(this.pod, other, row, context) : plugin.removePod?.(this.pod, other, row, context),
      )
    }
  }
}
