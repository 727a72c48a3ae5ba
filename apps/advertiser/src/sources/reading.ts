import type { SourceAmount } from '../plan/declaration.ts'
import type { DesiredUnits } from '../plan/desired-units.ts'

/** The last value and the last failure of one source on one node. */
export interface Reading {
  /** The last good value; undefined before the first one. */
  readonly good?: { readonly units: bigint; readonly observedAtMs: number }
  /** Time of the first query. */
  readonly sinceMs: number
  /** Error text of the last query; undefined after a success. */
  readonly failure?: string
}

/** Returns whether the source has had no good value for longer than the node keeps its amount. */
export function isExpired({ good, sinceMs }: Reading, { keepMs }: SourceAmount, nowMs: number): boolean {
  return keepMs !== undefined && nowMs - (good?.observedAtMs ?? sinceMs) > keepMs
}

/** Returns the amount that a node should offer according to a reading. */
export function amountOf(reading: Reading, source: SourceAmount, nowMs: number): DesiredUnits {
  const { good, failure } = reading
  if (isExpired(reading, source, nowMs)) return { kind: 'units', units: source.shape.min ?? 0n }
  if (good === undefined) {
    return { kind: 'unknown', reason: `source ${source.plugin} failed: ${failure ?? 'no answer'}` }
  }
  if (nowMs - good.observedAtMs <= source.maxAgeMs) return { kind: 'units', units: good.units }
  return {
    kind: 'unknown',
    // Without its age, which would make each comparison a new conflict: another event and another status of the object.
    reason:
      `the last value of source ${source.plugin} is older than the allowed ${Math.round(source.maxAgeMs / 1000)} s` +
      (failure === undefined ? '' : `, and the latest query failed: ${failure}`),
  }
}
