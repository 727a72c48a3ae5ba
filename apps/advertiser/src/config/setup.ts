import type { DesiredState } from '../plan/desired-state.ts'
import type { SourceReadings } from '../sources/source-readings.ts'

/** A configuration that is ready to run: the desired state, and the readings of its resource sources. */
export interface Setup {
  readonly desired: DesiredState
  readonly readings: SourceReadings
}
