import type { Metrics } from '@berth/process/metrics'
import type { Declaration } from '../plan/declaration.ts'
import { advertisingMetricDefinitions } from '../metrics.ts'
import type { Change, Conflict } from '../plan/node-plan.ts'
import type { SourceReadings } from '../sources/source-readings.ts'

/** Records the advertiser's metrics. */
export interface AdvertiserMetrics {
  /** Sets the units that Berth owns on a node now; empty when the node was deleted. */
  advertised(nodeName: string, units: ReadonlyMap<string, bigint>): void
  /** Sets the current conflicts of a node. */
  conflicts(nodeName: string, conflicts: readonly Conflict[]): void
  wrote(change: Change): void
  retried(): void
  failed(): void
  sourceFailed(resourceName: string): void
  sources(declarations: readonly Declaration[], readings: SourceReadings): void
  /** Sets the number of selections that match no node. */
  unmatched(descriptions: ReadonlySet<string>): void
  /** Sets the states of the objects. */
  objects(states: Iterable<string>): void
  /** Counts a failed write of an object. */
  objectFailed(): void
  reloaded(result: 'applied' | 'refused'): void
}

/** Creates the recorder. Sums over all nodes are updated node by node, without a pass over all nodes. */
export function createAdvertiserMetrics(metrics: Metrics): AdvertiserMetrics {
  const instruments = metrics.instruments(advertisingMetricDefinitions)
  const unitsByNode = new Map<string, ReadonlyMap<string, bigint>>()
  const conflictsByNode = new Map<string, readonly Conflict[]>()
  const labelsOf = (conflict: Conflict): { resource_name: string; reason: string } => ({
    resource_name: 'resourceName' in conflict ? conflict.resourceName : '',
    reason: conflict.kind,
  })

  return {
    advertised(nodeName, units) {
      for (const [name, amount] of unitsByNode.get(nodeName) ?? []) {
        instruments.advertisedUnits.dec({ resource_name: name }, Number(amount))
      }
      for (const [name, amount] of units) instruments.advertisedUnits.inc({ resource_name: name }, Number(amount))
      if (units.size === 0) unitsByNode.delete(nodeName)
      else unitsByNode.set(nodeName, units)
    },
    conflicts(nodeName, conflicts) {
      for (const conflict of conflictsByNode.get(nodeName) ?? []) instruments.conflicts.dec(labelsOf(conflict))
      for (const conflict of conflicts) instruments.conflicts.inc(labelsOf(conflict))
      if (conflicts.length === 0) conflictsByNode.delete(nodeName)
      else conflictsByNode.set(nodeName, conflicts)
    },
    wrote(change) {
      const { resourceName, kind } = change
      instruments.changes.inc({ resource_name: resourceName, kind })
      if (kind === 'set' && change.isDrift) instruments.drift.inc({ resource_name: resourceName })
    },
    retried: () => instruments.retries.inc(),
    failed: () => instruments.failures.inc(),
    sourceFailed: (resourceName) => instruments.sourceFailures.inc({ resource_name: resourceName }),
    sources(declarations, readings) {
      instruments.sourceAge.reset()
      for (const declaration of declarations) {
        const ageMs = readings.ageMs(declaration)
        if (ageMs !== undefined) instruments.sourceAge.set({ resource_name: declaration.resourceName }, ageMs / 1_000)
      }
    },
    unmatched: (descriptions) => instruments.unmatched.set(descriptions.size),
    objects(states) {
      instruments.objects.reset()
      for (const state of states) instruments.objects.inc({ state })
    },
    objectFailed: () => instruments.objectFailures.inc(),
    reloaded: (result) => instruments.configReloads.inc({ result }),
  }
}
